import type { Message, Reaction, ThreadState, Uuid } from '../../../wire/linnet.ts'
import type { SectionChange } from '../store/ownRows.ts'
import type { Preferences } from '../store/preferences.ts'
import { messageOf } from './mutation.ts'
import type { Deed } from './mutation.ts'

/** What waits to be done to one message. */
interface Wish {
  body: string | null
  /** ISO date of the change of words, by this device's clock. */
  editedAt: string
  deleted: boolean
  reactions: ReadonlyMap<string, boolean>
}

/** What is shown before it is answered: computed from the deeds that wait, hence also after a reload. */
export interface Wishes {
  /** The message as it will be; itself where nothing waits. The same object for the same message and wish. */
  message: (message: Message) => Message
  /** One's place in a thread as it will be. */
  thread: (thread: ThreadState) => ThreadState
  /** Where a channel's pointer will stand, from where it stands; null: nothing waits. */
  pointer: (channelId: Uuid, from: number) => number | null
  /** The messages whose deletion waits. */
  deletions: () => ReadonlySet<Uuid>
  /** Changes of the person's preferences by channel; what is unchanged stays the same object. */
  preferences: () => ReadonlyMap<Uuid, Partial<Preferences>>
  /** Changes of the sections of the person's sidebar. */
  sections: () => ReadonlyMap<Uuid, Partial<SectionChange>>
}

/** What each message was last painted as: painted alike again it stays the same object, and its row as drawn. */
const last = new WeakMap<Message, Message>()

/** Overlays of these deeds, one instance for each list of them. */
export function wishesOf(deeds: readonly Deed[], before: Wishes | null): Wishes {
  const waiting = deeds.filter((one) => one.state === 'pending')
  const messages = new Map<Uuid, Wish>()
  for (const deed of waiting) {
    const id = messageOf(deed)
    if (id !== null) messages.set(id, withDeed(messages.get(id) ?? NO_WISH, deed))
  }
  const painted = new WeakMap<Message, Message>()
  const places = new WeakMap<ThreadState, ThreadState>()
  const deleted = new Set([...messages].flatMap(([id, wish]) => (wish.deleted ? [id] : [])))
  const same = before && before.deletions().size === deleted.size
  const deletions =
    same && [...deleted].every((id) => before.deletions().has(id)) ? before.deletions() : deleted

  const preferences = merged(
    waiting.flatMap((one) => (one.kind === 'preferences' ? [[one.channel, one.change] as const] : [])),
    before?.preferences(),
  )
  const sections = merged(
    waiting.flatMap((one) => (one.kind === 'section' ? [[one.section, one.change] as const] : [])),
    before?.sections(),
  )

  return {
    message: (message) => {
      const wish = messages.get(message.id)
      if (!wish) return message
      const known = painted.get(message)
      if (known) return known
      const now = paint(message, wish)
      const then = last.get(message)
      const result = then && alike(then, now) ? then : now
      last.set(message, result)
      painted.set(message, result)
      return result
    },
    thread: (thread) => {
      const known = places.get(thread)
      if (known) return known
      const result = placed(thread, waiting)
      places.set(thread, result)
      return result
    },
    pointer: (channelId, from) => {
      let pointer: number | null = null
      for (const deed of waiting) {
        if (deed.channel !== channelId) continue
        const at: number = pointer ?? from
        if (deed.kind === 'read') pointer = Math.max(at, deed.seq)
        if (deed.kind === 'unread') pointer = Math.min(at, deed.seq - 1)
      }
      return pointer
    },
    deletions: () => deletions,
    preferences: () => preferences,
    sections: () => sections,
  }
}

/** The changes of each row, later ones over earlier ones. */
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

const NO_WISH: Wish = { body: null, editedAt: '', deleted: false, reactions: new Map() }

function withDeed(wish: Wish, deed: Deed): Wish {
  if (deed.kind === 'edit') return { ...wish, body: deed.body, editedAt: deed.createdAt }
  if (deed.kind === 'delete') return { ...wish, deleted: true }
  if (deed.kind === 'react') return { ...wish, reactions: new Map(wish.reactions).set(deed.emoji, deed.on) }
  return wish
}

function paint(message: Message, wish: Wish): Message {
  if (message.deleted_at !== null) return message
  if (wish.deleted) {
    const deleted_at = message.edited_at ?? message.created_at
    return { ...message, body: '', attachments: [], reactions: [], pinned_at: null, deleted_at }
  }
  const reactions = [...wish.reactions].reduce(withReaction, message.reactions)
  const edited = wish.body !== null && wish.body !== message.body
  if (!edited && reactions === message.reactions) return message
  return {
    ...message,
    reactions: reactions as Reaction[],
    ...(edited ? { body: wish.body ?? '', edited_at: wish.editedAt } : {}),
  }
}

function withReaction(reactions: readonly Reaction[], [emoji, on]: [string, boolean]): readonly Reaction[] {
  const reaction = reactions.find((one) => one.emoji === emoji)
  if ((reaction?.mine === true) === on) return reactions
  if (!reaction) return [...reactions, { emoji, count: 1, people: [], mine: true }]
  const count = reaction.count + (on ? 1 : -1)
  if (count <= 0) return reactions.filter((one) => one !== reaction)
  return reactions.map((one) => (one === reaction ? { ...one, count, mine: on } : one))
}

function alike(a: Message, b: Message): boolean {
  if (a.body !== b.body || a.deleted_at !== b.deleted_at || a.edited_at !== b.edited_at) return false
  if (a.reactions === b.reactions) return true
  if (a.reactions.length !== b.reactions.length) return false
  return a.reactions.every((one, index) => {
    const other = b.reactions[index]
    return one.emoji === other?.emoji && one.count === other.count && one.mine === other.mine
  })
}

function placed(thread: ThreadState, waiting: readonly Deed[]): ThreadState {
  let result = thread
  for (const deed of waiting) {
    if (!('root' in deed) || deed.root !== thread.root_id) continue
    if (deed.kind === 'followThread') {
      // One follows from the present end on.
      const from = deed.on && !result.follows ? result.last_thread_seq : result.last_read_thread_seq
      result = pointed({ ...result, follows: deed.on }, from)
      if (!deed.on) result = { ...result, counts: { unread: 0, mentions: 0 } }
    } else if (deed.kind === 'readThread') {
      result = pointed(result, Math.max(result.last_read_thread_seq, deed.seq))
    } else {
      result = pointed({ ...result, follows: true }, Math.min(result.last_read_thread_seq, deed.seq - 1))
    }
  }
  return result
}

/** With another pointer; how much is unread then is a guess, bounded by what lies above it. */
function pointed(thread: ThreadState, pointer: number): ThreadState {
  const above = Math.max(0, thread.last_thread_seq - pointer)
  const more = Math.max(0, thread.last_read_thread_seq - pointer)
  const { unread, mentions } = thread.counts
  const counts = { unread: Math.min(unread + more, above, 100), mentions: Math.min(mentions, above) }
  return { ...thread, last_read_thread_seq: pointer, counts }
}
