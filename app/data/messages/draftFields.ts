import type { Draft } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { memoizeByKey, reuseIfEqual } from '../hooks/memoize.ts'
import type { Mutation } from '../mutations/mutation.ts'
import { getClientSession } from '../session/clientSession.ts'
import type { ClientSession } from '../session/clientSession.ts'

/** A draft with content. */
export type ShownDraft = Pick<Draft, 'id' | 'channel_id' | 'thread_root' | 'body' | 'quote' | 'changed_at'>

/** Its last write: the next one waits for it, since it changes what the text replaces. */
export interface DraftRun {
  written: Promise<void>
  /** The text of the last write, which may have no result yet. */
  writing?: string
}

/** What a field contains that the outbox does not store yet, by the thread's root or channel. In this page's memory. */
export interface TypedDraft {
  text: string
  quote: Uuid | null
  /** What the field contained before. */
  from: string
  /** Its text is part of a message that is being stored. */
  isSent?: boolean
  /** The same for all that is typed until the field is stored or sent. */
  run: DraftRun
}
const typed = new Map<Uuid, TypedDraft>()
/** The session in which they were typed: another account must not see them. */
let owner: ClientSession | null = null
const listeners = new Set<() => void>()

/** Calls `listener` when what a field contains changes. */
export function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Shows a draft in its field that the outbox does not store yet; null: what the outbox stores. */
export function setTyped(conversation: Uuid, draft: TypedDraft | null): void {
  if (owner !== getClientSession()) typed.clear()
  owner = getClientSession()
  if (draft) typed.set(conversation, draft)
  else typed.delete(conversation)
  for (const listener of listeners) listener()
}

/** What the field contains that the outbox does not store yet. */
export function typedDraft(conversation: Uuid): TypedDraft | undefined {
  return owner === getClientSession() ? typed.get(conversation) : undefined
}

const NO_DRAFTS: ReadonlyMap<Uuid, ShownDraft> = new Map()

/** The drafts with content: those of the server with the pending changes, without those that pending messages empty. */
export function applyDraftMutations(
  rows: ReadonlyMap<Uuid, Draft>,
  mutations: readonly Mutation[],
): ReadonlyMap<Uuid, ShownDraft> {
  const drafts = new Map<Uuid, ShownDraft>([...rows].filter(([, row]) => hasContent(row)))
  for (const mutation of mutations) {
    if (mutation.kind === 'send') {
      const conversation = mutation.threadRoot ?? mutation.channel
      if (mutation.drafts?.includes(rows.get(conversation)?.change_id ?? '')) drafts.delete(conversation)
    }
    if (mutation.kind !== 'draft') continue
    const { conversation: id, channel: channel_id, threadRoot: thread_root, text: body, quote } = mutation
    const changed_at = new Date(mutation.order).toISOString()
    const draft = { id, channel_id, thread_root, body, quote, changed_at }
    drafts.delete(id)
    if (hasContent(draft)) drafts.set(id, draft)
  }
  return drafts
}

function hasContent({ body, quote }: Pick<Draft, 'body' | 'quote'>): boolean {
  return body !== '' || quote !== null
}

const draftsOf = memoizeByKey(
  (before: ReadonlyMap<Uuid, ShownDraft> | undefined, ...inputs: Parameters<typeof applyDraftMutations>) => {
    const drafts = new Map(
      [...applyDraftMutations(...inputs)].map(([id, draft]) => [id, reuseIfEqual(before?.get(id), draft)]),
    )
    const isSame =
      before?.size === drafts.size && [...drafts].every(([id, draft]) => before.get(id) === draft)
    return isSame ? before : drafts
  },
)

/** All drafts with content, by thread root or channel. */
export function storedDrafts(session: ClientSession | null): ReadonlyMap<Uuid, ShownDraft> {
  return session ? draftsOf('', session.store.get().drafts, session.outbox.mutations()) : NO_DRAFTS
}

/** What the field of a channel or thread contains. */
export function readField(conversation: Uuid): { text: string; quote: Uuid | null } {
  const stored = storedDrafts(getClientSession()).get(conversation)
  return typedDraft(conversation) ?? { text: stored?.body ?? '', quote: stored?.quote ?? null }
}
