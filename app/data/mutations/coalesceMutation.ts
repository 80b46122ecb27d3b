import type { Message } from '../../../wire/linnet.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Failure } from '../failures/failures.ts'
import { createMutation, targetMessage } from './mutation.ts'
import type { Mutation, OutboxFile, OutboxItem, MutationInput } from './mutation.ts'

type Mutations = readonly Mutation[]

/**
 * Adds a mutation, and removes or changes unsent ones that it reverts, changes or supersedes. Pure, since it runs in a
 * transaction of the storage that all tabs share. `now` is this device's clock in ms.
 */
export function coalesceMutation(mutations: Mutations, input: MutationInput, now: number): Mutations {
  const before = mutations
  const append = (rest: Mutations): Mutations => [...rest, createMutation(input, before, now)]
  switch (input.kind) {
    case 'send':
    case 'followThread':
      return append(mutations.filter((one) => !(isSame(one, input) && !one.maybeSent)))
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
      return append(mutations.filter((one) => one.maybeSent || !isSameMarker(one, input)))
  }
}

type Append = (rest: Mutations) => Mutations
type InputOfKind<K extends MutationInput['kind']> = Extract<MutationInput, { kind: K }>

function isSame(one: Mutation, input: MutationInput): boolean {
  if (one.kind === 'followThread' && input.kind === 'followThread') return one.root === input.root
  return one.id === input.id
}

function isSameMarker(one: Mutation, input: MutationInput): boolean {
  if (one.kind === 'read' || one.kind === 'unread') {
    return (input.kind === 'read' || input.kind === 'unread') && one.channel === input.channel
  }
  if (one.kind === 'readThread' || one.kind === 'unreadThread') {
    return (input.kind === 'readThread' || input.kind === 'unreadThread') && one.root === input.root
  }
  return false
}

/** An unsent message is changed in place; an unsent edit is replaced by the later one. */
function coalesceEdit(mutations: Mutations, input: InputOfKind<'edit'>, append: Append): Mutations {
  const waiting = mutations.find((one) => one.kind === 'send' && one.id === input.message)
  if (waiting && !waiting.maybeSent) {
    return mutations.map((one) =>
      one === waiting ? { ...one, body: input.body, state: 'pending', failure: null } : one,
    ) as Mutations
  }
  return append(
    mutations.filter((one) => one.kind !== 'edit' || one.message !== input.message || one.maybeSent),
  )
}

/** Deleting an unsent message removes it. */
function coalesceDelete(mutations: Mutations, message: Uuid, append: Append): Mutations {
  const waiting = mutations.find((one) => one.kind === 'send' && one.id === message)
  if (waiting && !waiting.maybeSent) return withoutMessage(mutations, message)
  if (mutations.some((one) => one.kind === 'delete' && one.message === message)) return mutations
  return append(mutations)
}

/** Adding and removing the same reaction cancel out while unsent. */
function coalesceReaction(mutations: Mutations, input: InputOfKind<'react'>, append: Append): Mutations {
  const last = mutations.findLast(
    (one) => one.kind === 'react' && one.message === input.message && one.emoji === input.emoji,
  )
  if (last?.kind !== 'react') return append(mutations)
  if (last.on === input.on) return mutations
  return last.maybeSent ? append(mutations) : mutations.filter((one) => one !== last)
}

/** Merges moves of the same read marker into the farthest, unless it was moved back ("mark unread") in between. */
function coalesceRead(
  mutations: Mutations,
  input: InputOfKind<'read'> | InputOfKind<'readThread'>,
  append: Append,
): Mutations {
  const last = mutations.findLast((one) => isSameMarker(one, input))
  if (last?.kind !== 'read' && last?.kind !== 'readThread') return append(mutations)
  if (last.seq >= input.seq) return mutations
  return mutations.map((one) =>
    one === last ? { ...last, seq: input.seq, revision: last.revision + 1 } : one,
  ) as Mutations
}

/** Merges a change into an unsent one of the same row; a deletion is never merged. */
function coalesceOwnRow(
  mutations: Mutations,
  input: InputOfKind<'preferences'> | InputOfKind<'section'>,
  append: Append,
): Mutations {
  const last = mutations.findLast((one) => {
    if (one.kind === 'section') return input.kind === 'preferences' || one.section === input.section
    return input.kind === 'preferences' && one.kind === 'preferences' && one.channel === input.channel
  })
  const isDeletion = (one: MutationInput | Mutation) => one.kind === 'section' && one.change.deleted === true
  if (!last || last.maybeSent || last.kind !== input.kind || isDeletion(last) || isDeletion(input))
    return append(mutations)
  const change = { ...(last as typeof input).change, ...input.change }
  return mutations.map((one) =>
    one === last ? { ...one, change, revision: one.revision + 1 } : one,
  ) as Mutations
}

/** Removes a message that was never sent, with all other mutations of it. */
function withoutMessage(mutations: Mutations, message: Uuid): Mutations {
  return mutations.filter((one) => one.id !== message && targetMessage(one) !== message)
}

/** Cancels a deletion that was not sent yet. */
export function cancelDelete(mutations: Mutations, message: Uuid): Mutations {
  return mutations.filter((one) => one.kind !== 'delete' || one.message !== message || one.maybeSent)
}

/** Records that a mutation is being sent: from now on it may have reached the server, so it cannot be coalesced. */
export function markTried(mutations: Mutations, id: Uuid): Mutations {
  return mutations.map((one) => (one.id === id && !one.maybeSent ? { ...one, maybeSent: true } : one))
}

/** Removes a mutation that was executed, unless it has changed since it was sent. */
export function removeDone(mutations: Mutations, executed: Mutation): Mutations {
  return mutations.filter((one) => one.id !== executed.id || one.revision !== executed.revision)
}

/**
 * Handles a rejection. A message or edit stays with the reason and its latest text; other mutations are removed, and so
 * are those of a message that was rejected.
 */
export function markRejected(mutations: Mutations, executed: Mutation, failure: Failure): Mutations {
  const refused = mutations.find((one) => one.id === executed.id)
  if (!refused || refused.revision !== executed.revision) return mutations
  if (refused.kind === 'edit') return withFailure(mutations, refused, refused.body, failure)
  if (refused.kind !== 'send') return mutations.filter((one) => one !== refused)
  if (mutations.some((one) => one.kind === 'delete' && one.message === refused.id)) {
    return withoutMessage(mutations, refused.id)
  }
  const edit = mutations.findLast((one) => one.kind === 'edit' && one.message === refused.id)
  const rest = mutations.filter((one) => targetMessage(one) !== refused.id)
  return withFailure(rest, refused, edit?.kind === 'edit' ? edit.body : refused.body, failure)
}

function withFailure(mutations: Mutations, refused: OutboxItem, body: string, failure: Failure): Mutations {
  return mutations.map((one) =>
    one === refused ? { ...refused, body, maybeSent: false, state: 'failed' as const, failure } : one,
  )
}

/** Errors of a message whose files were deleted on the server, because it was sent too long after their upload. */
const LOST_FILE_FAILURES = new Set(['bad_attachment', 'attachments_missing'])

/** Makes a rejected message pending again, with its files. */
export function resetForRetry(mutations: Mutations, id: Uuid): Mutations {
  return mutations.map((one) => {
    if (one.id !== id || one.state !== 'failed') return one
    const again = { ...one, state: 'pending' as const, failure: null, revision: one.revision + 1 }
    if (again.kind !== 'send') return again
    const lost = LOST_FILE_FAILURES.has(one.failure?.name ?? '')
    return { ...again, files: again.files.map((file) => resetFile(file, lost)) }
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
  const found = mutations.find((one) => one.id === id)
  if (found?.kind !== 'send') return mutations.filter((one) => one !== found)
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
  const { id, channel_id: channel, thread_root: threadRoot, body, created_at: createdAt } = message
  const known = mutations.some((one) => one.id === id || (one.kind === 'delete' && one.message === id))
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
    createdAt,
  }
  return [...mutations, createMutation(input, mutations, now)]
}

/**
 * Removes a rejected message whose row has arrived nevertheless, by an earlier, slow attempt. If its text has changed
 * since that attempt, an edit with the id `edit` is added.
 */
export function settleArrived(mutations: Mutations, row: Message, edit: Uuid, now: number): Mutations {
  const refused = mutations.find((one) => one.id === row.id && one.state === 'failed')
  if (refused?.kind !== 'send') return mutations
  const rest = mutations.filter((one) => one !== refused)
  const { channel, threadRoot, alsoToChannel, body, createdAt } = refused
  if (row.deleted_at !== null || row.body === body) return rest
  const content = { channel, threadRoot, alsoToChannel, body, files: [], createdAt }
  return [...rest, createMutation({ kind: 'edit', id: edit, message: row.id, ...content }, mutations, now)]
}
