import type { Message } from '../../../wire/linnet.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Failure } from '../failures/failures.ts'
import { createMutation, targetMessage } from './mutation.ts'
import type { Mutation, OutboxFile, OutboxItem, MutationInput } from './mutation.ts'

type Mutations = readonly Mutation[]

/**
 * The mutations with one more input: what it takes back, changes or overtakes gives way. Pure, so that all pages can
 * do it in turn on the storage that they share. `now` is this device's clock in ms.
 */
export function coalesceMutation(mutations: Mutations, input: MutationInput, now: number): Mutations {
  const before = mutations
  const append = (rest: Mutations): Mutations => [...rest, createMutation(input, before, now)]
  switch (input.kind) {
    case 'send':
    case 'followThread':
      return append(mutations.filter((one) => !(isSame(one, input) && !one.tried)))
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
      // What was read before it is moot; what is being asked is settled first.
      return append(mutations.filter((one) => one.tried || !isSameMarker(one, input)))
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

/** Words that were not sent yet are changed in place; a change that was not asked yet gives way to the later. */
function coalesceEdit(mutations: Mutations, input: InputOfKind<'edit'>, append: Append): Mutations {
  const waiting = mutations.find((one) => one.kind === 'send' && one.id === input.message)
  if (waiting && !waiting.tried) {
    return mutations.map((one) =>
      one === waiting ? { ...one, body: input.body, state: 'pending', failure: null } : one,
    ) as Mutations
  }
  return append(mutations.filter((one) => one.kind !== 'edit' || one.message !== input.message || one.tried))
}

/** A message that was not sent yet is not sent at all. */
function coalesceDelete(mutations: Mutations, message: Uuid, append: Append): Mutations {
  const waiting = mutations.find((one) => one.kind === 'send' && one.id === message)
  if (waiting && !waiting.tried) return withoutMessage(mutations, message)
  if (mutations.some((one) => one.kind === 'delete' && one.message === message)) return mutations
  return append(mutations)
}

/** Put and taken away again before anyone was asked: nothing happened. */
function coalesceReaction(mutations: Mutations, input: InputOfKind<'react'>, append: Append): Mutations {
  const last = mutations.findLast(
    (one) => one.kind === 'react' && one.message === input.message && one.emoji === input.emoji,
  )
  if (last?.kind !== 'react') return append(mutations)
  if (last.on === input.on) return mutations
  return last.tried ? append(mutations) : mutations.filter((one) => one !== last)
}

/** Only the newest of what was read in a place is kept, unless it was made unread in between. */
function coalesceRead(
  mutations: Mutations,
  input: InputOfKind<'read'> | InputOfKind<'readThread'>,
  append: Append,
): Mutations {
  const last = mutations.findLast((one) => isSameMarker(one, input))
  if (last?.kind !== 'read' && last?.kind !== 'readThread') return append(mutations)
  if (last.seq >= input.seq) return mutations
  return mutations.map((one) =>
    one === last ? { ...last, seq: input.seq, version: last.version + 1 } : one,
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
  const isDeletion = (one: MutationInput | Mutation) => one.kind === 'section' && one.change.gone === true
  if (!last || last.tried || last.kind !== input.kind || isDeletion(last) || isDeletion(input))
    return append(mutations)
  const change = { ...(last as typeof input).change, ...input.change }
  return mutations.map((one) =>
    one === last ? { ...one, change, version: one.version + 1 } : one,
  ) as Mutations
}

/** Without a message that was never sent, and all that was to be done to it. */
function withoutMessage(mutations: Mutations, message: Uuid): Mutations {
  return mutations.filter((one) => one.id !== message && targetMessage(one) !== message)
}

/** A deletion that was not asked yet is called off; one that was asked can't be. */
export function cancelDelete(mutations: Mutations, message: Uuid): Mutations {
  return mutations.filter((one) => one.kind !== 'delete' || one.message !== message || one.tried)
}

/** It is asked from now on: whatever comes later can't undo it in silence. */
export function markTried(mutations: Mutations, id: Uuid): Mutations {
  return mutations.map((one) => (one.id === id && !one.tried ? { ...one, tried: true } : one))
}

/** What was asked, as it was asked, is done. */
export function removeDone(mutations: Mutations, executed: Mutation): Mutations {
  return mutations.filter((one) => one.id !== executed.id || one.version !== executed.version)
}

/**
 * What was asked will never be taken. Words are kept with the reason, as the last change left them; mutations
 * without words fall away, and so does all that was to be done to a message that never came to be.
 */
export function markRejected(mutations: Mutations, executed: Mutation, failure: Failure): Mutations {
  const refused = mutations.find((one) => one.id === executed.id)
  if (!refused || refused.version !== executed.version) return mutations
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
    one === refused ? { ...refused, body, tried: false, state: 'failed' as const, failure } : one,
  )
}

/** Refusals of a message whose files lay at the server too long without it, and were swept. */
const LOST_FILE_FAILURES = new Set(['bad_attachment', 'attachments_missing'])

/** Messages that were rejected are asked again, as they are, and so are their files. */
export function resetForRetry(mutations: Mutations, id: Uuid): Mutations {
  return mutations.map((one) => {
    if (one.id !== id || one.state !== 'failed') return one
    const again = { ...one, state: 'pending' as const, failure: null, version: one.version + 1 }
    if (again.kind !== 'send') return again
    const lost = LOST_FILE_FAILURES.has(one.failure?.name ?? '')
    return { ...again, files: again.files.map((file) => resetFile(file, lost)) }
  })
}

/** The file as it is tried once more; from its start where the server has lost it. */
export function resetFile(file: OutboxFile, lost: boolean): OutboxFile {
  const again = { ...file, paused: false, failure: null }
  return lost ? { ...again, uploaded: false, url: null, sent: 0 } : again
}

/**
 * Without one mutation. A message that may have reached the server is deleted there too, since its messages are given
 * back to their author: `deletion` names that mutation.
 */
export function discardMutation(mutations: Mutations, id: Uuid, deletion: Uuid, now: number): Mutations {
  const found = mutations.find((one) => one.id === id)
  if (found?.kind !== 'send') return mutations.filter((one) => one !== found)
  const rest = withoutMessage(mutations, id)
  if (!found.tried) return rest
  const input: MutationInput = { kind: 'delete', id: deletion, channel: found.channel, message: id }
  return [...rest, createMutation(input, mutations, now)]
}

/**
 * With a message sent once more that the server had accepted and has forgotten, unless its author took it back. The bytes
 * of its files are there, or were forgotten as well, and then it is refused.
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
 * Without messages that were rejected and whose row has come all the same, by a try that was long under way. If they were
 * changed since that try, `edit` names the change of the row.
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
