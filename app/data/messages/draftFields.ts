import type { Draft } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { memoizeByKey } from '../hooks/memoize.ts'
import type { Mutations } from '../mutations/mutation.ts'
import type { ShownDraft } from '../mutations/mutationKind.ts'
import { applyToRows } from '../mutations/optimisticUpdates.ts'
import { getClientSession } from '../session/clientSession.ts'
import type { ClientSession } from '../session/clientSession.ts'

export type { ShownDraft }

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

const draftsOf = memoizeByKey(
  (before: ReadonlyMap<Uuid, ShownDraft> | undefined, rows: ReadonlyMap<Uuid, Draft>, mutations: Mutations) =>
    applyDraftMutations(rows, mutations, before),
)

/** The drafts with content: those of the server with the pending changes, without those that pending messages empty. */
export function applyDraftMutations(
  rows: ReadonlyMap<Uuid, Draft>,
  mutations: Mutations,
  before?: ReadonlyMap<Uuid, ShownDraft>,
): ReadonlyMap<Uuid, ShownDraft> {
  const drafts = new Map([...rows].filter(([, { body, quote }]) => body !== '' || quote !== null))
  return applyToRows('draft', drafts, mutations, before)
}

/** All drafts with content, by thread root or channel. */
export function storedDrafts(session: ClientSession | null): ReadonlyMap<Uuid, ShownDraft> {
  return session ? draftsOf('', session.store.get().drafts, session.outbox.mutations()) : NO_DRAFTS
}

/** What the field of a channel or thread contains. */
export function readField(conversation: Uuid): { text: string; quote: Uuid | null } {
  const stored = storedDrafts(getClientSession()).get(conversation)
  return typedDraft(conversation) ?? { text: stored?.body ?? '', quote: stored?.quote ?? null }
}
