import type { Draft, Message } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Failure } from '../failures/failures.ts'
import { createMutation, targetMessage } from './mutation.ts'
import type { DraftMutation, Mutation, OutboxFile, OutboxItem, MutationInput } from './mutation.ts'

type Mutations = readonly Mutation[]

/**
 * Adds a mutation, and removes or changes unsent ones that it reverts, changes or supersedes. Pure, since it runs in a
 * transaction of the storage that all tabs share. `now` is this device's clock in ms.
 */
export function coalesceMutation(mutations: Mutations, input: MutationInput, now: number): Mutations {
  const before = mutations
  const append = (rest: Mutations): Mutations => [...rest, createMutation(input, before, now)]
  switch (input.kind) {
    case 'draft':
      return coalesceDraft(mutations, input, now)
    case 'send':
      return coalesceSend(mutations, input, now)
    case 'followThread':
    case 'saveMessage':
      return append(mutations.filter((mutation) => !(isSame(mutation, input) && !mutation.maybeSent)))
    case 'edit':
      return coalesceEdit(mutations, input, append)
    case 'delete':
      return coalesceDelete(mutations, input.message, append)
    case 'react':
      return coalesceReaction(mutations, input, append)
    case 'read':
    case 'readThread':
      return coalesceRead(mutations, input, append)
    case 'preferences':
    case 'section':
      return coalesceOwnRow(mutations, input, append)
    case 'unread':
    case 'unreadThread':
      // Unsent moves of the same read marker are superseded; a running request completes first.
      return append(mutations.filter((mutation) => mutation.maybeSent || !isSameMarker(mutation, input)))
  }
}

type Append = (rest: Mutations) => Mutations
type InputOfKind<K extends MutationInput['kind']> = Extract<MutationInput, { kind: K }>

function isSame(mutation: Mutation, input: MutationInput): boolean {
  if (mutation.kind === 'followThread' && input.kind === 'followThread') return mutation.root === input.root
  if (mutation.kind === 'saveMessage' && input.kind === 'saveMessage')
    return mutation.message === input.message
  return mutation.id === input.id
}

function isSameMarker(mutation: Mutation, input: MutationInput): boolean {
  if (mutation.kind === 'read' || mutation.kind === 'unread') {
    return (input.kind === 'read' || input.kind === 'unread') && mutation.channel === input.channel
  }
  if (mutation.kind === 'readThread' || mutation.kind === 'unreadThread') {
    return (input.kind === 'readThread' || input.kind === 'unreadThread') && mutation.root === input.root
  }
  return false
}

/** Changes of a draft that a save or a message names at most. */
const MAX_CHANGES = 20
/** Milliseconds after which a draft is saved although its author is still typing. */
const MAX_DRAFT_DELAY_MS = 10_000

/** The pending change of a draft. */
export function findDraftMutation(mutations: Mutations, conversation: Uuid): DraftMutation | undefined {
  return mutations.findLast(
    (mutation) => mutation.kind === 'draft' && mutation.conversation === conversation,
  ) as DraftMutation | undefined
}

/**
 * All changes of a draft that a message with its text replaces, also if a save has no response yet: it may end while the
 * device stores the message. What another device has written since is no part of the message. `row`: the server's draft.
 */
export function changesToSend(mutations: Mutations, row: Draft | undefined, conversation: Uuid): Uuid[] {
  const last = findDraftMutation(mutations, conversation)
  if (last) return [...last.base, last.id]
  return row && (row.body !== '' || row.quote !== null) ? [row.change_id] : []
}

/** Whether a draft is not empty. */
export function isContent(draft: Pick<DraftMutation, 'text' | 'quote'>): boolean {
  return draft.text !== '' || draft.quote !== null
}

/** Changes the unsent change of the same draft; one that may have been sent becomes part of what this one replaces. */
function coalesceDraft(mutations: Mutations, input: InputOfKind<'draft'>, now: number): Mutations {
  const last = findDraftMutation(mutations, input.conversation)
  if (!last || last.maybeSent) {
    const sends = mutations.flatMap((mutation) =>
      mutation.kind === 'send' && (mutation.threadRoot ?? mutation.channel) === input.conversation
        ? [...(mutation.drafts ?? []), mutation.id]
        : [],
    )
    const base = (last ? [...last.base, last.id] : [...input.base, ...sends]).slice(-MAX_CHANGES)
    if (!isContent(input) && input.base.length === 0 && !last) return mutations
    return [...mutations, createMutation({ ...input, base, from: last?.from ?? input.from }, mutations, now)]
  }
  // It was never saved.
  if (!isContent(input) && last.base.length === 0) return mutations.filter((mutation) => mutation !== last)
  const { text, quote, notBefore = 0 } = input
  const changed: DraftMutation = {
    ...last,
    text,
    quote,
    notBefore: Math.min(notBefore, last.order + MAX_DRAFT_DELAY_MS),
    state: 'pending',
    failure: null,
    revision: last.revision + 1,
  }
  return mutations.map((mutation) => (mutation === last ? changed : mutation))
}

/** A message that empties its draft replaces the pending changes of that. */
function coalesceSend(mutations: Mutations, input: InputOfKind<'send'>, now: number): Mutations {
  const rest = mutations.filter((mutation) => !(isSame(mutation, input) && !mutation.maybeSent))
  if (!input.drafts) return [...rest, createMutation(input, mutations, now)]
  const conversation = input.threadRoot ?? input.channel
  const last = findDraftMutation(rest, conversation)
  // Text that was due to be stored became a new change when the message was.
  const isKnown = !last || input.drafts.includes(last.id)
  const drafts = isKnown
    ? input.drafts
    : [...input.drafts, ...last.base, ...(last.maybeSent ? [last.id] : [])]
  return [
    ...rest.filter((mutation) => mutation.kind !== 'draft' || mutation.conversation !== conversation),
    createMutation({ ...input, drafts: [...new Set(drafts)].slice(-MAX_CHANGES) }, mutations, now),
  ]
}

/** An unsent message is changed in place; an unsent edit is replaced by the later one. */
function coalesceEdit(mutations: Mutations, input: InputOfKind<'edit'>, append: Append): Mutations {
  const waiting = mutations.find((mutation) => mutation.kind === 'send' && mutation.id === input.message)
  if (waiting && !waiting.maybeSent) {
    return mutations.map((mutation) =>
      mutation === waiting ? { ...mutation, body: input.body, state: 'pending', failure: null } : mutation,
    ) as Mutations
  }
  return append(
    (waiting ? resetForRetry(mutations, waiting.id) : mutations).filter(
      (mutation) => mutation.kind !== 'edit' || mutation.message !== input.message || mutation.maybeSent,
    ),
  )
}

/** Deleting an unsent message removes it. */
function coalesceDelete(mutations: Mutations, message: Uuid, append: Append): Mutations {
  const waiting = mutations.find((mutation) => mutation.kind === 'send' && mutation.id === message)
  if (waiting && !waiting.maybeSent) return withoutMessage(mutations, message)
  if (waiting?.state === 'failed') return append(withoutMessage(mutations, message))
  if (mutations.some((mutation) => mutation.kind === 'delete' && mutation.message === message))
    return mutations
  return append(mutations)
}

/** Adding and removing the same reaction cancel out while unsent. */
function coalesceReaction(mutations: Mutations, input: InputOfKind<'react'>, append: Append): Mutations {
  const last = mutations.findLast(
    (mutation) =>
      mutation.kind === 'react' && mutation.message === input.message && mutation.emoji === input.emoji,
  )
  if (last?.kind !== 'react') return append(mutations)
  if (last.on === input.on) return mutations
  return last.maybeSent ? append(mutations) : mutations.filter((mutation) => mutation !== last)
}

/** Merges moves of the same read marker into the farthest, unless it was moved back ("mark unread") in between. */
function coalesceRead(
  mutations: Mutations,
  input: InputOfKind<'read'> | InputOfKind<'readThread'>,
  append: Append,
): Mutations {
  const last = mutations.findLast((mutation) => isSameMarker(mutation, input))
  if (last?.kind !== 'read' && last?.kind !== 'readThread') return append(mutations)
  if (last.seq >= input.seq) return mutations
  return mutations.map((mutation) =>
    mutation === last ? { ...last, seq: input.seq, revision: last.revision + 1 } : mutation,
  ) as Mutations
}

/** Merges a change into an unsent one of the same row; a deletion is never merged. */
function coalesceOwnRow(
  mutations: Mutations,
  input: InputOfKind<'preferences'> | InputOfKind<'section'>,
  append: Append,
): Mutations {
  const last = mutations.findLast((mutation) => {
    if (mutation.kind === 'section') return input.kind === 'preferences' || mutation.section === input.section
    return (
      input.kind === 'preferences' && mutation.kind === 'preferences' && mutation.channel === input.channel
    )
  })
  const isDeletion = (mutation: MutationInput | Mutation) =>
    mutation.kind === 'section' && mutation.change.deleted === true
  if (!last || last.maybeSent || last.kind !== input.kind || isDeletion(last) || isDeletion(input))
    return append(mutations)
  const change = { ...(last as typeof input).change, ...input.change }
  return mutations.map((mutation) =>
    mutation === last ? { ...mutation, change, revision: mutation.revision + 1 } : mutation,
  ) as Mutations
}

/**
 * Removes a message that was never sent, with all other mutations of it. The draft that it would have emptied is emptied
 * by a change of its own.
 */
function withoutMessage(mutations: Mutations, message: Uuid): Mutations {
  const rest = mutations.filter((mutation) => mutation.id !== message && targetMessage(mutation) !== message)
  const found = mutations.find((mutation) => mutation.id === message)
  if (found?.kind !== 'send' || !found.drafts?.length) return rest
  const { id, channel, threadRoot, drafts: base, order } = found
  const conversation = threadRoot ?? channel
  if (findDraftMutation(rest, conversation)) return rest
  const input = {
    kind: 'draft',
    id,
    channel,
    conversation,
    threadRoot,
    text: '',
    quote: null,
    from: '',
    base,
  } as const
  return [...rest, createMutation(input, [], order)]
}

/** Cancels a deletion that was not sent yet. */
export function cancelDelete(mutations: Mutations, message: Uuid): Mutations {
  return mutations.filter(
    (mutation) => mutation.kind !== 'delete' || mutation.message !== message || mutation.maybeSent,
  )
}

/** Records that a mutation is being sent: from now on it may have reached the server, so it cannot be coalesced. */
export function markTried(mutations: Mutations, id: Uuid): Mutations {
  return mutations.map((mutation) =>
    mutation.id === id && !mutation.maybeSent ? { ...mutation, maybeSent: true } : mutation,
  )
}

/** Removes a mutation that was executed, unless it has changed since it was sent. */
export function removeDone(mutations: Mutations, executed: Mutation): Mutations {
  return mutations.filter(
    (mutation) => mutation.id !== executed.id || mutation.revision !== executed.revision,
  )
}

/**
 * Handles a rejection. A message, edit or draft stays with the reason and its latest text; others are removed, and so
 * are those of a message that was rejected. `executed` is the mutation before it was sent: with `maybeSent`, an earlier
 * attempt has no known result, and the server may have stored the message before the author lost access.
 */
export function markRejected(mutations: Mutations, executed: Mutation, failure: Failure): Mutations {
  const refused = mutations.find((mutation) => mutation.id === executed.id)
  if (!refused || refused.revision !== executed.revision) return mutations
  if (refused.kind === 'draft') {
    const kept: DraftMutation = { ...refused, maybeSent: false, state: 'failed', failure }
    return mutations.map((mutation) => (mutation === refused ? kept : mutation))
  }
  if (refused.kind === 'edit')
    return withFailure(mutations, refused, { body: refused.body, maybeSent: false, failure })
  if (refused.kind !== 'send') return mutations.filter((mutation) => mutation !== refused)
  const deletion = mutations.find((mutation) => mutation.kind === 'delete' && mutation.message === refused.id)
  if (deletion) {
    const rest = withoutMessage(mutations, refused.id)
    return executed.maybeSent ? [...rest, deletion] : rest
  }
  const edit = mutations.findLast((mutation) => mutation.kind === 'edit' && mutation.message === refused.id)
  const rest = mutations.filter((mutation) => targetMessage(mutation) !== refused.id)
  const body = edit?.kind === 'edit' ? edit.body : refused.body
  return withFailure(rest, refused, { body, maybeSent: executed.maybeSent, failure })
}

function withFailure(
  mutations: Mutations,
  refused: OutboxItem,
  changes: Pick<OutboxItem, 'body' | 'failure' | 'maybeSent'>,
): Mutations {
  return mutations.map((mutation) =>
    mutation === refused ? { ...refused, ...changes, state: 'failed' as const } : mutation,
  )
}

/** Errors of a message whose files were deleted on the server, because it was sent too long after their upload. */
const LOST_FILE_FAILURES = new Set(['bad_attachment', 'attachments_missing'])

/** Makes a rejected message pending again, with its files. */
export function resetForRetry(mutations: Mutations, id: Uuid): Mutations {
  return mutations.map((mutation) => {
    if (mutation.id !== id || mutation.state !== 'failed') return mutation
    const again = { ...mutation, state: 'pending' as const, failure: null, revision: mutation.revision + 1 }
    if (again.kind !== 'send') return again
    const lost = LOST_FILE_FAILURES.has(mutation.failure?.name ?? '')
    // The reason states that anyone can read it; whoever sends it again knows.
    const onWeb = mutation.failure?.name === 'channel_on_web' ? true : again.onWeb
    return { ...again, onWeb, files: again.files.map((file) => resetFile(file, lost)) }
  })
}

/** The file for another attempt; from its start if the server no longer has it. */
export function resetFile(file: OutboxFile, lost: boolean): OutboxFile {
  const again = { ...file, paused: false, failure: null }
  return lost ? { ...again, uploaded: false, url: null, sent: 0 } : again
}

/**
 * Removes a mutation. A message that may have reached the server is also deleted there, since its author gets its text
 * back: `deletion` is the id of that mutation.
 */
export function discardMutation(mutations: Mutations, id: Uuid, deletion: Uuid, now: number): Mutations {
  const found = mutations.find((mutation) => mutation.id === id)
  if (found?.kind !== 'send') return mutations.filter((mutation) => mutation !== found)
  const rest = withoutMessage(mutations, id)
  if (!found.maybeSent) return rest
  const input: MutationInput = { kind: 'delete', id: deletion, channel: found.channel, message: id }
  return [...rest, createMutation(input, mutations, now)]
}

/**
 * Sends a message again that the server had accepted and lost (it was restored from a backup), unless its author has
 * deleted it. If the server has also lost its files, it will reject the message.
 */
export function resendMessage(mutations: Mutations, message: Message, now: number): Mutations {
  const { id, channel_id: channel, thread_root: threadRoot, body, extras, created_at: createdAt } = message
  const known = mutations.some(
    (mutation) => mutation.id === id || (mutation.kind === 'delete' && mutation.message === id),
  )
  if (known || message.deleted_at !== null) return mutations
  const files = message.attachments.map((file) => {
    const bytes = new Blob([])
    return Object.assign({}, file, { blob: bytes, thumb: file.thumb ? bytes : null, uploaded: true })
  })
  const alsoToChannel = threadRoot !== null && message.seq !== null
  const input: MutationInput = {
    kind: 'send',
    id,
    channel,
    threadRoot,
    alsoToChannel,
    body,
    files,
    extras,
    createdAt,
  }
  return [...mutations, createMutation(input, mutations, now)]
}

/**
 * Removes a rejected message whose row has arrived nevertheless, by an earlier, slow attempt. If its text has changed
 * since that attempt, an edit with the id `edit` is added.
 */
export function settleArrived(mutations: Mutations, row: Message, edit: Uuid, now: number): Mutations {
  const refused = mutations.find((mutation) => mutation.id === row.id && mutation.state === 'failed')
  if (refused?.kind !== 'send') return mutations
  const rest = mutations.filter((mutation) => mutation !== refused)
  const { channel, threadRoot, alsoToChannel, body, createdAt } = refused
  if (row.deleted_at !== null || row.body === body) return rest
  const content = { channel, threadRoot, alsoToChannel, body, files: [], createdAt }
  return [...rest, createMutation({ kind: 'edit', id: edit, message: row.id, ...content }, mutations, now)]
}
