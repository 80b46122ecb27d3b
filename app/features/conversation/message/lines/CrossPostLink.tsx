import { i18n } from '@lingui/core'
import { Link } from '../../../../ui/Link.tsx'
import { useReferencedMessage } from '../../../../data/messages/referencedMessages.ts'
import { pathTo, replyAddress } from '../../../../paths.ts'
import type { Message } from '../../../../../wire/messages.ts'
import { excerptOf } from '../../../parts/body/excerptOf.ts'
import styles from '../MessageRow.module.css'

/** A reply that was also sent to the channel: a link to its other occurrence. */
export default function CrossPostLink({ message, scope }: { message: Message; scope: string }) {
  const { id, channel_id } = message
  return scope === 'channel' ? (
    <Link href={replyAddress(message)} className={styles.crossPost}>
      <ThreadName rootId={message.thread_root ?? id} />
    </Link>
  ) : (
    <Link href={pathTo('message', { channelId: channel_id, messageId: id })} className={styles.crossPost}>
      {i18n._('Also sent to the channel')}
    </Link>
  )
}

/** Names the thread by its first words; its first message may be deleted, or older than what the reader may read. */
function ThreadName({ rootId }: { rootId: string }) {
  const root = useReferencedMessage(rootId)
  if (!root || root.deleted_at !== null) return i18n._('Replied to a thread')
  return i18n._('Replied to: {excerpt}', { excerpt: excerptOf(root) })
}
