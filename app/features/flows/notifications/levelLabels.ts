import { isChannel, type Channel } from '../../../../wire/channels.ts'
import { i18n } from '@lingui/core'
import type { ChannelMemberState } from '../../../../wire/channels.ts'
import type { NotificationPreferences } from '../../../../wire/notifications.ts'

type Level = ChannelMemberState['notify']

/** The label of a level of a conversation. */
export function levelLabel(level: Level): string {
  switch (level) {
    case 'all':
      return i18n._('All messages')
    case 'mentions':
      return i18n._('Mentions and keywords')
    case 'nothing':
      return i18n._('Nothing')
    case 'default':
      return i18n._('Default')
  }
}

/** What the default of a conversation means; null while the preferences are not known. */
export function defaultLevelLabel(
  channel: Pick<Channel, 'kind'>,
  preferences: NotificationPreferences | undefined,
): string | null {
  if (!isChannel(channel)) return levelLabel('all')
  return preferences ? levelLabel(preferences.level) : null
}

/** The levels in the order in which they are offered. */
export const LEVELS: readonly Level[] = ['default', 'all', 'mentions', 'nothing']
