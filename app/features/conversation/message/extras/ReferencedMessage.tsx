import { i18n } from '@lingui/core'
import { Link } from '../../../../ui/Link.tsx'
import { messageAddress, pathTo } from '../../../../paths.ts'
import { unreadableText } from '../../../parts/channels/placeText.ts'
import { titleOf } from '../../../parts/channels/titleOf.ts'
import { useChannel } from '../../../../data/channels/channels.ts'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'
import { useProfile } from '../../../../data/people/people.ts'
import { useReferencedMessage } from '../../../../data/messages/referencedMessages.ts'
import { writtenAt } from '../../../../data/messages/writtenAt.ts'
import type { Message } from '../../../../../wire/messages.ts'
import { formatDayAndTime } from '../../../../ui/dates.ts'
import { Attachments } from '../../../parts/files/attachments/Attachments.tsx'
import { Body } from '../../../parts/body/Body.tsx'
import { excerptOf } from '../../../parts/body/excerptOf.ts'
import { MessageContext } from '../../../parts/body/MessageContext.ts'
import styles from './ReferencedMessage.module.css'

interface Props {
  id: string
  /** A forwarded message is shown as a whole with its own quote. The others show the first lines. */
  kind: 'quote' | 'forward' | 'message' | 'thread'
  /** The channel in the address of a linked message or thread, which leads nowhere if the message is in another one. */
  channelId?: string
  /** The number of forwarded messages around this one. */
  depth?: number
}

/** A forwarded message can contain another one, and so on. */
const MAX_DEPTH = 2

/** A quoted or forwarded message with the reader's own rights: text that they may not read is not on this device. */
export function ReferencedMessage({ id, kind, channelId, depth = 0 }: Props) {
  const message = useReferencedMessage(id)
  if (message === undefined) return <div className={styles.card} aria-busy="true" />
  const isElsewhere = channelId !== undefined && message?.channel_id !== channelId
  if (message === null || isElsewhere) return <div className={styles.card}>{note(unavailableText(kind))}</div>
  if (message.extras?.moved_to)
    return <ReferencedMessage id={message.extras.moved_to.message_id} kind={kind} depth={depth} />
  if (message.deleted_at !== null)
    return <div className={styles.card}>{note(i18n._('This message was deleted.'))}</div>
  return <Card message={message} kind={kind} depth={depth} />
}

function unavailableText(kind: Props['kind']): string {
  return kind === 'message' || kind === 'thread'
    ? unreadableText(kind)
    : i18n._('You don’t have access to this message.')
}

function note(text: string) {
  return <p className={styles.note}>{text}</p>
}

interface CardProps extends Required<Omit<Props, 'id' | 'channelId'>> {
  message: Message
}

function Card({ message, kind, depth }: CardProps) {
  const author = useProfile(message.author_id)
  const name = author?.name ?? i18n._('Former member')
  const where = useChannelTitle(message.channel_id)
  const { quote, forward } = (kind === 'forward' && depth < MAX_DEPTH && message.extras) || {}
  return (
    <blockquote className={styles.card}>
      <p className={styles.head}>
        {kind === 'forward' ? <span className={styles.note}>{i18n._('Forwarded')}</span> : null}
        {kind === 'thread' ? <span className={styles.note}>{i18n._('Thread')}</span> : null}
        <span className={styles.name}>{isolateBidi(name)}</span>
        <Link href={addressOf(message, kind)} className={styles.link}>
          {where ? `${where} · ` : ''}
          {formatDayAndTime(writtenAt(message))}
        </Link>
      </p>
      {quote ? <ReferencedMessage id={quote.message_id} kind="quote" /> : null}
      <div className={kind === 'forward' ? undefined : styles.excerpt}>
        {message.body ? (
          <MessageContext value={{ message, mayTick: false }}>
            <Body body={message.body} />
          </MessageContext>
        ) : null}
      </div>
      {forward ? <ReferencedMessage id={forward.message_id} kind="forward" depth={depth + 1} /> : null}
      {kind === 'forward' && message.attachments.length > 0 ? <Attachments message={message} /> : null}
      {kind !== 'forward' && (message.attachments.length > 0 || message.body === '')
        ? note(excerptOf({ ...message, body: '' }))
        : null}
      {kind === 'thread' && message.reply_count > 0
        ? note(i18n._('{count, plural, one {# reply} other {# replies}}', { count: message.reply_count }))
        : null}
    </blockquote>
  )
}

function addressOf(message: Message, kind: Props['kind']): string {
  const { channel_id: channelId, id: rootId } = message
  return kind === 'thread' ? pathTo('thread', { channelId, rootId }) : messageAddress(message)
}

/** "#rota", or the people of a conversation; null while the channel is not known. */
export function useChannelTitle(channelId: string): string | null {
  const channel = useChannel(channelId)
  if (typeof channel === 'string') return null
  return titleOf(channel)
}
