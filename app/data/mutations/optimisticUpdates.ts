import type { ThreadState } from '../../../wire/threads.ts'
import type { Message, Reaction } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Preferences, SectionChange } from '../store/ownRows.ts'
import { isTaskKey } from '../messages/reactionKeys.ts'
import { targetMessage } from './mutation.ts'
import type { Mutation } from './mutation.ts'

/** Pending changes of one message. */
interface PendingChanges {
  body: string | null
  /** ISO date of the edit, by this device's clock. */
  editedAt: string
  deleted: boolean
  reactions: ReadonlyMap<string, boolean>
}

/** Expected results of pending mutations, computed from the outbox, hence also after a reload. */
export interface OptimisticUpdates {
  /** The message after its pending mutations; itself if there are none. The same object for the same input. */
  message: (message: Message) => Message
  /** The reader's thread state after its pending mutations. */
  thread: (thread: ThreadState) => ThreadState
  /** Position of a channel's read marker after pending mutations, from its current position; null: none is pending. */
  readMarker: (channelId: Uuid, from: number) => number | null
  /** Messages with a pending deletion. */
  deletions: () => ReadonlySet<Uuid>
  /** Changes of the person's preferences by channel; what is unchanged stays the same object. */
  preferences: () => ReadonlyMap<Uuid, Partial<Preferences>>
  /** Changes of the sections of the person's sidebar. */
  sections: () => ReadonlyMap<Uuid, Partial<SectionChange>>
}

/** The last result for each message: an equal result is the same object, so that its row is not rendered again. */
const lastShown = new WeakMap<Message, Message>()

/** Creates the optimistic updates of a list of mutations. */
export function createOptimisticUpdates(
  mutations: readonly Mutation[],
  before: OptimisticUpdates | null,
): OptimisticUpdates {
  const waiting = mutations.filter((mutation) => mutation.state === 'pending')
  const messages = new Map<Uuid, PendingChanges>()
  for (const mutation of waiting) {
    const id = targetMessage(mutation)
    if (id !== null) messages.set(id, addMutation(messages.get(id) ?? NO_CHANGES, mutation))
  }
  const results = new WeakMap<Message, Message>()
  const threadResults = new WeakMap<ThreadState, ThreadState>()
  const deleted = new Set([...messages].flatMap(([id, changes]) => (changes.deleted ? [id] : [])))
  const same = before && before.deletions().size === deleted.size
  const deletions =
    same && [...deleted].every((id) => before.deletions().has(id)) ? before.deletions() : deleted

  const preferences = merged(
    waiting.flatMap((mutation) =>
      mutation.kind === 'preferences' ? [[mutation.channel, mutation.change] as const] : [],
    ),
    before?.preferences(),
  )
  const sections = merged(
    waiting.flatMap((mutation) =>
      mutation.kind === 'section' ? [[mutation.section, mutation.change] as const] : [],
    ),
    before?.sections(),
  )

  return {
    message: (message) => {
      const changes = messages.get(message.id)
      if (!changes) return message
      const known = results.get(message)
      if (known) return known
      const now = applyChanges(message, changes)
      const then = lastShown.get(message)
      const result = then && isShownAlike(then, now) ? then : now
      lastShown.set(message, result)
      results.set(message, result)
      return result
    },
    thread: (thread) => {
      const known = threadResults.get(thread)
      if (known) return known
      const result = applyToThread(thread, waiting)
      threadResults.set(thread, result)
      return result
    },
    readMarker: (channelId, from) => {
      let readMarker: number | null = null
      for (const mutation of waiting) {
        if (mutation.channel !== channelId) continue
        const at: number = readMarker ?? from
        if (mutation.kind === 'read') readMarker = Math.max(at, mutation.seq)
        if (mutation.kind === 'unread') readMarker = Math.min(at, mutation.seq - 1)
      }
      return readMarker
    },
    deletions: () => deletions,
    preferences: () => preferences,
    sections: () => sections,
  }
}

/** Merges the changes of each row, in order. */
function merged<T extends object>(
  changes: readonly (readonly [Uuid, T])[],
  before: ReadonlyMap<Uuid, T> | undefined,
): ReadonlyMap<Uuid, T> {
  const all = new Map<Uuid, T>()
  for (const [id, change] of changes) all.set(id, { ...all.get(id), ...change })
  for (const [id, change] of all) {
    const known = before?.get(id)
    if (known && JSON.stringify(known) === JSON.stringify(change)) all.set(id, known)
  }
  const same = before?.size === all.size && [...all].every(([id, change]) => before.get(id) === change)
  return same && before ? before : all
}

const NO_CHANGES: PendingChanges = { body: null, editedAt: '', deleted: false, reactions: new Map() }

function addMutation(changes: PendingChanges, mutation: Mutation): PendingChanges {
  if (mutation.kind === 'edit') return { ...changes, body: mutation.body, editedAt: mutation.createdAt }
  if (mutation.kind === 'delete') return { ...changes, deleted: true }
  if (mutation.kind === 'react')
    return { ...changes, reactions: new Map(changes.reactions).set(mutation.emoji, mutation.on) }
  return changes
}

function applyChanges(message: Message, changes: PendingChanges): Message {
  if (message.deleted_at !== null) return message
  if (changes.deleted) {
    const deleted_at = message.edited_at ?? message.created_at
    return { ...message, body: '', attachments: [], extras: null, reactions: [], pinned_at: null, deleted_at }
  }
  const reactions = [...changes.reactions].reduce(withReaction, message.reactions)
  const edited = changes.body !== null && changes.body !== message.body
  if (!edited && reactions === message.reactions) return message
  return {
    ...message,
    reactions: reactions as Reaction[],
    ...(edited ? { body: changes.body ?? '', edited_at: changes.editedAt } : {}),
  }
}

function withReaction(reactions: readonly Reaction[], [emoji, on]: [string, boolean]): readonly Reaction[] {
  const reaction = reactions.find((one) => one.emoji === emoji)
  // Whoever unticks a task removes the ticks of everyone.
  if (!on && isTaskKey(emoji)) return reaction ? reactions.filter((one) => one !== reaction) : reactions
  if ((reaction?.mine === true) === on) return reactions
  if (!reaction) return [...reactions, { emoji, count: 1, people: [], mine: true }]
  const count = reaction.count + (on ? 1 : -1)
  if (count <= 0) return reactions.filter((one) => one !== reaction)
  return reactions.map((one) => (one === reaction ? { ...one, count, mine: on } : one))
}

function isShownAlike(a: Message, b: Message): boolean {
  if (a.body !== b.body || a.deleted_at !== b.deleted_at || a.edited_at !== b.edited_at) return false
  if (a.reactions === b.reactions) return true
  if (a.reactions.length !== b.reactions.length) return false
  return a.reactions.every((reaction, index) => {
    const other = b.reactions[index]
    return reaction.emoji === other?.emoji && reaction.count === other.count && reaction.mine === other.mine
  })
}

function applyToThread(thread: ThreadState, waiting: readonly Mutation[]): ThreadState {
  let result = thread
  for (const mutation of waiting) {
    if (!('root' in mutation) || mutation.root !== thread.root_id) continue
    if (mutation.kind === 'followThread') {
      // Following a thread marks its present replies as read.
      const from = mutation.on && !result.follows ? result.last_thread_seq : result.last_read_thread_seq
      result = withReadMarker({ ...result, follows: mutation.on }, from)
      if (!mutation.on) result = { ...result, counts: { unread: 0, mentions: 0 } }
    } else if (mutation.kind === 'readThread') {
      result = withReadMarker(result, Math.max(result.last_read_thread_seq, mutation.seq))
    } else {
      result = withReadMarker(
        { ...result, follows: true },
        Math.min(result.last_read_thread_seq, mutation.seq - 1),
      )
    }
  }
  return result
}

/** Moves the read marker; the unread count is an estimate, limited by the replies after it. */
function withReadMarker(thread: ThreadState, readMarker: number): ThreadState {
  const above = Math.max(0, thread.last_thread_seq - readMarker)
  const more = Math.max(0, thread.last_read_thread_seq - readMarker)
  const { unread, mentions } = thread.counts
  const counts = { unread: Math.min(unread + more, above, 100), mentions: Math.min(mentions, above) }
  return { ...thread, last_read_thread_seq: readMarker, counts }
}
