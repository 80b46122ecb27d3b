import { i18n } from '@lingui/core'
import type { Message } from '../../../../wire/linnet.ts'
import { useMembers } from '../../../data/people.ts'
import { Faces } from '../../../ui/Faces.tsx'
import { Link } from 'wouter'
import styles from './ThreadLine.module.css'
import { whenOf } from './whenOf.ts'

/** Under a message with replies: who answered last, how many, when. Opens the thread. */
export function ThreadLine({ message }: { message: Message }) {
  const members = useMembers()
  const people = message.reply_people.map((id) => ({
    id,
    name: members.find((member) => member.profile.id === id)?.profile.name ?? '?',
  }))
  const count = message.reply_count
  return (
    <Link href={`/c/${message.channel_id}/t/${message.id}`} className={styles.line}>
      <Faces people={people} />
      <span className={styles.count}>
        {i18n._('{count, plural, one {# reply} other {# replies}}', { count })}
      </span>
      {message.last_reply_at ? (
        <span className={styles.last}>{i18n._('last {when}', { when: whenOf(message.last_reply_at) })}</span>
      ) : null}
    </Link>
  )
}
