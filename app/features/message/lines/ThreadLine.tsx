import { i18n } from '@lingui/core'
import type { Message } from '../../../../wire/linnet.ts'
import { useMembers } from '../../../data/people/people.ts'
import { useThreadPlace } from '../../../data/threads/threadState.ts'
import { cx } from '../../../ui/cx.ts'
import { Avatars } from '../../people/avatar/Avatars.tsx'
import { Link } from 'wouter'
import styles from './ThreadLine.module.css'
import { whenOf } from '../../../ui/clock.ts'

const NOTHING = { unread: 0, mentions: 0 }

/** Under a message with replies: who answered last, how many, how many are new, when. Opens the thread. */
export function ThreadLine({ message }: { message: Message }) {
  const members = useMembers()
  const people = message.reply_people.map((id) => ({
    id,
    name: members.find((member) => member.profile.id === id)?.profile.name ?? '?',
  }))
  const count = message.reply_count
  const place = useThreadPlace(message.id)
  const { unread, mentions } = place?.follows ? place.counts : NOTHING
  return (
    <Link href={`/c/${message.channel_id}/t/${message.id}`} className={styles.line}>
      <Avatars people={people} />
      <span className={styles.count}>
        {i18n._('{count, plural, one {# reply} other {# replies}}', { count })}
      </span>
      {unread > 0 ? (
        <span className={cx(styles.new, mentions > 0 && styles.called)}>
          {unread >= 100 ? i18n._('99+ new') : i18n._('{count} new', { count: unread })}
        </span>
      ) : null}
      {message.last_reply_at ? (
        <span className={styles.last}>
          {i18n._('last reply {when}', { when: whenOf(message.last_reply_at) })}
        </span>
      ) : null}
    </Link>
  )
}
