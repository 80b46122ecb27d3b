import type { Uuid } from '../../../wire/scalars.ts'
import { keepCopy } from '../persistence/draftWrites.ts'
import type { DraftCopy } from '../persistence/draftWrites.ts'
import { getClientSession } from '../session/clientSession.ts'
import { setTyped, typedDraft } from './draftFields.ts'
import type { TypedDraft } from './draftFields.ts'

/** The draft as a closing page copies it. */
export function copyDraft(
  channel: Uuid,
  threadRoot: Uuid | null,
  { text, quote, from, run }: TypedDraft,
  message?: Uuid,
): DraftCopy | null {
  const workspace = getClientSession()?.store.get().workspace?.id
  if (!workspace) return null
  return {
    text,
    from,
    conversation: { workspace, channel, threadRoot, quote, writing: run.writing, message },
  }
}

/**
 * Empties the field of a draft at once when it is sent: text that is typed while the device stores the message belongs to
 * the next message. Until `stored`, the outbox has the draft, and a closing page copies its text.
 */
export function emptyField(
  channel: Uuid,
  threadRoot: Uuid | null,
  message: Uuid,
  stored: Promise<unknown>,
): void {
  const conversation = threadRoot ?? channel
  const sent = typedDraft(conversation)
  // A draft that is no longer typed is stored.
  const copy = sent && (() => copyDraft(channel, threadRoot, sent, message))
  if (copy) keepCopy(`${conversation}#${message}`, copy, () => stored).catch(() => {})
  const run = { written: Promise.resolve() }
  setTyped(conversation, { text: '', quote: null, from: '', isSent: true, run })
  const show = () => {
    if (typedDraft(conversation)?.isSent) setTyped(conversation, null)
  }
  stored.then(show, show)
}
