import { i18n } from '@lingui/core'
import { Link } from 'wouter'
import type { Message } from '../../../../wire/messages.ts'
import styles from '../MessageRow.module.css'

/** A reply that was also sent to the channel: a link to its other occurrence. */
export default function CrossPostLink({ message, scope }: { message: Message; scope: string }) {
  const { id, channel_id, thread_root, thread_seq } = message
  return scope === 'channel' ? (
    <Link href={`/c/${channel_id}/t/${thread_root}?at=${thread_seq}`} className={styles.crossPost}>
      {i18n._('Replied to a thread')}
    </Link>
  ) : (
    <Link href={`/c/${channel_id}/m/${id}`} className={styles.crossPost}>
      {i18n._('Also sent to the channel')}
    </Link>
  )
}
