import { i18n } from '@lingui/core'
import type { Preferences } from '../../data/channels/sections.ts'

/** What a conversation may tell its reader of, from most to least. */
export const NOTIFY = ['all', 'mentions', 'nothing'] as const

/** The word for a level of notifications. */
export function notifyWord(notify: Preferences['notify']): string {
  if (notify === 'all') return i18n._('Every message')
  if (notify === 'mentions') return i18n._('Mentions')
  return i18n._('Nothing')
}
