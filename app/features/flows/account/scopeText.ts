import { i18n } from '@lingui/core'
import type { Scope } from '../../../data/account/applications.ts'

/** What a scope allows, in words. */
export function scopeText(scope: Scope): string {
  if (scope === 'channels:read') return i18n._('See your workspaces, channels and people')
  if (scope === 'messages:read') return i18n._('Read your messages and files, including direct messages')
  return i18n._('Send, edit and delete messages and reactions as you')
}
