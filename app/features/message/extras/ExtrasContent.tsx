import type { Message, MessageExtras } from '../../../../wire/messages.ts'
import { Poll } from './Poll.tsx'
import { ReferencedMessage } from './ReferencedMessage.tsx'

interface Props {
  extras: MessageExtras
  /** Null while it is being sent: nobody can vote yet. */
  message: Message | null
  /** Whether the reader may react. */
  mayReact: boolean
}

/** What a message carries besides its text, by kind. */
export default function ExtrasContent({ extras, message, mayReact }: Props) {
  return (
    <>
      {extras.poll ? <Poll poll={extras.poll} message={message} mayVote={mayReact} /> : null}
      {extras.quote ? <ReferencedMessage id={extras.quote.message_id} kind="quote" /> : null}
      {extras.forward ? <ReferencedMessage id={extras.forward.message_id} kind="forward" /> : null}
    </>
  )
}
