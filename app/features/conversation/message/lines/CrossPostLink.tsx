import { i18n } from '@lingui/core'
import { Link } from '../../../../ui/Link.tsx'
import { pathTo, replyAddress } from '../../../../paths.ts'
import type { Message } from '../../../../../wire/messages.ts'
import styles from '../MessageRow.module.css'

/** A reply that was also sent to the channel: a link to its other occurrence. */
export default function CrossPostLink({ message, scope }: { message: Message; scope: string }) {
  const { id, channel_id } = message
  return scope === 'channel' ? (
    <Link href={replyAddress(message)} className={styles.crossPost}>
      {i18n._('Replied to a thread')}
    </Link>
  ) : (
    <Link href={pathTo('message', { channelId: channel_id, messageId: id })} className={styles.crossPost}>
      {i18n._('Also sent to the channel')}
    </Link>
  )
}
