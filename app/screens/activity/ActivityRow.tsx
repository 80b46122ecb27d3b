import { i18n } from '@lingui/core'
import { useId } from 'react'
import { Link } from '../../ui/Link.tsx'
import { messageAddress, replyAddress } from '../../paths.ts'
import type { Message } from '../../../wire/messages.ts'
import type { Timestamp } from '../../../wire/scalars.ts'
import type { ActivityItem } from '../../data/activity/groupActivity.ts'
import { useLatestMessage } from '../../data/activity/useActivity.ts'
import { useChannel, type ChannelWithPermissions } from '../../data/channels/channels.ts'
import { useReadPosition } from '../../data/messages/readPosition.ts'
import { isolateBidi } from '../../data/people/isolateBidi.ts'
import { useProfile } from '../../data/people/people.ts'
import { useThreadState } from '../../data/threads/threadState.ts'
import { titleOf } from '../../features/parts/channels/titleOf.ts'
import { withEmoji } from '../../features/parts/emoji/EmojiText.tsx'
import { Avatar } from '../../features/parts/members/avatar/Avatar.tsx'
import { excerptOf } from '../../features/parts/body/excerptOf.ts'
import { useNames } from '../../features/parts/members/useNames.ts'
import { cx } from '../../ui/cx.ts'
import { formatDateTime, formatDayAndTime } from '../../ui/dates.ts'
import styles from './ActivityRow.module.css'

/** People of a reaction who are named; more are only counted. */
const MAX_NAMES = 3

/**
 * Who did what where, with the message. The whole row opens the message; "Back" returns to the list.
 * @param seenAt until when reactions have been seen; null while that is not known
 */
export function ActivityRow({ item, seenAt }: { item: ActivityItem; seenAt: Timestamp | null }) {
  const message = useLatestMessage(item.message)
  const isUnread = useIsUnread(item, message, seenAt)
  const channel = useChannel(message.channel_id)
  const place = typeof channel === 'string' ? null : placeOf(channel)
  const names = useNames(
    item.kind === 'reaction' ? item.people.slice(0, MAX_NAMES) : [message.author_id],
    item.kind === 'reaction' ? item.people.length : 1,
  )
  const person = item.people[0] ?? message.author_id
  const profile = useProfile(person)
  const id = useId()
  if (message.deleted_at !== null) return null
  return (
    <article
      aria-labelledby={id}
      className={cx(
        styles.row,
        isUnread && styles.unread,
        isUnread && item.kind === 'mention' && styles.mention,
      )}
    >
      <Avatar id={person} name={profile?.name ?? ''} />
      <div className={styles.content}>
        <p id={id}>
          <Link data-entry href={pathOf(item, message)} className={styles.head}>
            {isUnread ? (
              <span className="visually-hidden">
                {item.kind === 'reaction' ? i18n._('New') : i18n._('Unread')}
              </span>
            ) : null}
            <span className={styles.what}>{withEmoji(sentence(item, isolateBidi(names)))}</span>
            <time dateTime={item.at} title={formatDateTime(item.at)} className={styles.when}>
              {place ? `${isolateBidi(place)} · ` : ''}
              {formatDayAndTime(item.at)}
            </time>
          </Link>
        </p>
        <p className={styles.text}>{withEmoji(excerptOf(message))}</p>
      </div>
    </article>
  )
}

/** Where it happened. The title of a direct conversation would repeat the name of the person. */
function placeOf(channel: ChannelWithPermissions): string {
  return channel.kind === 'direct' ? i18n._('Direct message') : titleOf(channel)
}

function sentence({ kind, emoji, message, thread }: ActivityItem, names: string): string {
  if (kind === 'reaction')
    return i18n._('{names} reacted with {emoji}', { names, emoji: emoji.slice(0, 10).join(' ') })
  if (kind === 'mention') {
    return /<!(?:channel|here)>/.test(message.body)
      ? i18n._('{names} mentioned everyone', { names })
      : i18n._('{names} mentioned you', { names })
  }
  const unread = thread?.follows ? thread.counts.unread : 0
  return unread > 1
    ? i18n._('{names} and others replied in a thread', { names })
    : i18n._('{names} replied in a thread', { names })
}

function pathOf({ kind }: ActivityItem, message: Message) {
  return kind === 'reply' ? replyAddress(message) : messageAddress(message)
}

/** Decided by the read marker of the channel or thread, for reactions by the time until which they have been seen. */
function useIsUnread({ kind, at }: ActivityItem, message: Message, seenAt: Timestamp | null): boolean {
  const { readTo } = useReadPosition(message.channel_id)
  const thread = useThreadState(message.thread_root ?? '')
  const channel = useChannel(message.channel_id)
  if (kind === 'reaction') return seenAt !== null && Date.parse(at) > Date.parse(seenAt)
  if (kind === 'mention' && message.seq !== null)
    return typeof channel !== 'string' && channel.isMember && message.seq > readTo
  return thread?.follows === true && (message.thread_seq ?? 0) > thread.last_read_thread_seq
}
