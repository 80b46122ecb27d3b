import type { Message, MessageExtras } from '../../../../../wire/messages.ts'
import { Cards } from './Cards.tsx'
import { LinkPreviews } from './LinkPreviews.tsx'
import { MovedFrom, MovedTo } from './Moved.tsx'
import { Poll } from './Poll.tsx'
import { Removed } from './Removed.tsx'
import { ReferencedMessage } from './ReferencedMessage.tsx'

interface Props {
  /** A quote and what shows that a message was moved are above its text, everything else below. */
  position: 'above' | 'below'
  extras: MessageExtras
  /** Null while it is being sent: nobody can vote yet. */
  message: Message | null
  /** Whether the reader may react. */
  mayReact: boolean
}

/** What a message carries besides its text, by kind. */
export default function ExtrasContent({ position, extras, message, mayReact }: Props) {
  const { quote, poll, forward, moved, moved_to, removed, previews, cards } = extras
  if (position === 'above')
    return (
      <>
        {moved_to ? <MovedTo {...moved_to} /> : null}
        {removed ? <Removed {...removed} /> : null}
        {moved?.by && moved.from ? <MovedFrom from={moved.from} by={moved.by} at={moved.written_at} /> : null}
        {quote ? <ReferencedMessage id={quote.message_id} kind="quote" /> : null}
      </>
    )
  return (
    <>
      {cards ? <Cards cards={cards.items} /> : null}
      {poll ? <Poll poll={poll} message={message} mayVote={mayReact} /> : null}
      {forward ? <ReferencedMessage id={forward.message_id} kind="forward" /> : null}
      {previews && message ? (
        <LinkPreviews previews={previews} message={message} isMember={mayReact} />
      ) : null}
    </>
  )
}
