import { i18n } from '@lingui/core'
import { pathTo } from '../../../../paths.ts'
import type { Message } from '../../../../../wire/messages.ts'
import { useNameOf } from '../../../../data/people/useNameOf.ts'
import { useThreadState } from '../../../../data/threads/threadState.ts'
import { cx } from '../../../../ui/cx.ts'
import { AvatarGroup } from '../../../parts/members/avatar/AvatarGroup.tsx'
import { Link } from '../../../../ui/Link.tsx'
import styles from './ThreadSummary.module.css'
import { formatDayAndTime } from '../../../../ui/dates.ts'

const NO_COUNTS = { unread: 0, mentions: 0 }

/** Below a message with replies: who replied, how many replies, how many new ones, and when. Opens the thread. */
export function ThreadSummary({ message }: { message: Message }) {
  const nameOf = useNameOf()
  const people = message.reply_people.map((id) => ({ id, name: nameOf(id) ?? '?' }))
  const count = message.reply_count
  const state = useThreadState(message.id)
  const { unread, mentions } = state?.follows ? state.counts : NO_COUNTS
  return (
    <Link
      href={pathTo('thread', { channelId: message.channel_id, rootId: message.id })}
      className={styles.line}
    >
      <AvatarGroup people={people} />
      <span className={styles.count}>
        {i18n._('{count, plural, one {# reply} other {# replies}}', { count })}
      </span>
      {unread > 0 ? (
        <span className={cx(styles.new, mentions > 0 && styles.mention)}>
          {unread >= 100 ? i18n._('99+ new') : i18n._('{count} new', { count: unread })}
        </span>
      ) : null}
      {message.last_reply_at ? (
        <span className={styles.last}>
          {i18n._('last reply {when}', { when: formatDayAndTime(message.last_reply_at) })}
        </span>
      ) : null}
    </Link>
  )
}
