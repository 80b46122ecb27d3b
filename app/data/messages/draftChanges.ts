import type { Uuid } from '../../../wire/scalars.ts'
import { outdatedClient, registerSentences } from '../failures/failures.ts'
import { draftKey } from '../persistence/deviceStorage.ts'
import { cancelWrite, readCopies } from '../persistence/draftWrites.ts'
import type { DraftCopy } from '../persistence/draftWrites.ts'
import type { Mutation } from '../mutations/mutation.ts'
import { joinTexts } from '../mutations/joinTexts.ts'
import { getClientSession } from '../session/clientSession.ts'
import type { ClientSession } from '../session/clientSession.ts'
import { readField, setTyped, storedDrafts } from './draftFields.ts'
import type { ShownDraft, TypedDraft } from './draftFields.ts'

// Loaded with it: the connection may be lost when a draft is to be saved.
export { saveDraft } from '../mutations/saveDraft.ts'

// Never shown: such a draft stays on this device.
registerSentences({ drafts_at_most_hundred: outdatedClient })

/** Milliseconds without a key stroke after which a draft is sent to the server. */
const SAVE_DELAY_MS = 2_000

/** Empties a draft. */
export function discardDraft(draft: ShownDraft): void {
  replaceDraft(draft, '', null)
}

/** Brings a discarded draft back, before what was written since. */
export function restoreDraft(draft: ShownDraft): void {
  replaceDraft(draft, [draft.body, readField(draft.id).text].filter(Boolean).join('\n'), draft.quote)
}

function replaceDraft(
  { id, channel_id: channelId, thread_root: threadRoot }: ShownDraft,
  text: string,
  quote: Uuid | null,
): void {
  const session = getClientSession()
  const from = readField(id).text
  cancelWrite(draftKey(channelId, threadRoot))
  setTyped(id, null)
  if (session) void putDraft(session, channelId, threadRoot, { from, text, quote })
}

/** Stores a draft in the outbox, together with what another device has written since it was typed. */
export async function putDraft(
  session: ClientSession,
  channel: Uuid,
  threadRoot: Uuid | null,
  { from, text, quote }: Pick<TypedDraft, 'from' | 'text' | 'quote'>,
): Promise<void> {
  const conversation = threadRoot ?? channel
  const row = session.store.get().drafts.get(conversation)
  const shown = storedDrafts(session).get(conversation)?.body ?? ''
  // Emptied here without what another device has written since.
  if (text === '' && shown !== from && shown !== '') return
  await session.outbox.put({
    kind: 'draft',
    id: crypto.randomUUID(),
    channel,
    conversation,
    threadRoot,
    text: joinTexts(from, shown, text),
    quote,
    from: row?.body ?? '',
    base: row ? [row.change_id] : [],
    notBefore: document.hidden ? 0 : Date.now() + SAVE_DELAY_MS,
  })
}

/** Sends a change that waits for more key strokes: its field is closed. */
export function makeDue(conversation: Uuid): void {
  const session = getClientSession()
  const isWaiting = (one: Mutation) =>
    one.kind === 'draft' && one.conversation === conversation && one.notBefore > Date.now()
  if (!session?.outbox.mutations().some(isWaiting)) return
  void session.outbox.update((all) => all.map((one) => (isWaiting(one) ? { ...one, notBefore: 0 } : one)))
}

/**
 * Stores the drafts of the shown workspace that earlier pages copied when they closed. Each is joined with the draft that
 * this browser or another device has stored since. A copy whose message is in the outbox is deleted. Cached rows may lack
 * a draft that the copied text replaces: a copy that changes nothing in them stays until the server's rows are loaded.
 */
export async function restoreDraftCopies(session: ClientSession): Promise<void> {
  for (const { copy, remove } of readCopies(session.userId)) {
    const { conversation } = copy
    const { workspace, source } = session.store.get()
    if (!conversation || conversation.workspace !== workspace?.id) continue
    const isMessageStored = session.outbox.storedMutations().some((one) => one.id === conversation.message)
    // oxlint-disable-next-line no-await-in-loop -- one transaction after the other
    if (isMessageStored || (await putCopy(session, copy, conversation)) || source === 'live') remove()
  }
}

/** Whether the text differed from the stored one. */
async function putCopy(
  session: ClientSession,
  { text, from }: DraftCopy,
  { channel, threadRoot, quote, writing }: NonNullable<DraftCopy['conversation']>,
): Promise<boolean> {
  const stored = storedDrafts(session).get(threadRoot ?? channel)
  const shown = stored?.body ?? ''
  if (shown === text && (stored?.quote ?? null) === quote) return false
  // The page did not receive the result of its last write, so that its text counts as the one that was replaced.
  const replaced = shown === writing ? shown : (from ?? shown)
  await putDraft(session, channel, threadRoot, { from: replaced, text, quote })
  return true
}
