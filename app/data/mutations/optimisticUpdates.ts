import type { NotificationPreferences } from '../../../wire/notifications.ts'
import type { ThreadState } from '../../../wire/threads.ts'
import type { Message } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Preferences, SectionChange } from '../store/ownRows.ts'
import { reuseIfEqual } from '../hooks/memoize.ts'
import type { Mutation, Mutations } from './mutation.ts'
import type { DisplayedValues } from './mutationKind.ts'
import { kindOf } from './mutationKinds.ts'

/** Expected results of pending mutations, computed from the outbox, hence also after a reload. */
export interface OptimisticUpdates {
  /** The message after its pending mutations; itself if there are none. The same object for the same input. */
  message: (message: Message) => Message
  /** The reader's thread state after its pending mutations. */
  thread: (thread: ThreadState) => ThreadState
  /** Position of a channel's read marker after pending mutations, from its current position. */
  readMarker: (channelId: Uuid, from: number) => number
  /** Changes of the person's preferences by channel; what is unchanged stays the same object. */
  preferences: () => ReadonlyMap<Uuid, Partial<Preferences>>
  /** Changes of the person's notification preferences by workspace. */
  notificationPreferences: () => ReadonlyMap<Uuid, Partial<NotificationPreferences>>
  /** Changes of the sections of the person's sidebar. */
  sections: () => ReadonlyMap<Uuid, Partial<SectionChange>>
}

type ValueName = keyof DisplayedValues

/** The displayed value that a mutation changes, and its update. */
function updateOf(mutation: Mutation) {
  const update = kindOf(mutation).optimistic
  if (!update) return null
  // The compiler does not relate the kind of the mutation to the parameter of `apply`.
  const apply = update.apply as <T>(before: T, mutation: Mutation) => T
  return { value: update.value, id: update.id(mutation), apply: <T>(before: T) => apply(before, mutation) }
}

/** The last result for each message: an equal result is the same object, so that its row is not rendered again. */
const lastShown = new WeakMap<Message, Message>()

/** Creates the optimistic updates of a list of mutations. */
export function createOptimisticUpdates(
  mutations: Mutations,
  before: OptimisticUpdates | null,
): OptimisticUpdates {
  const updates = new Map<string, NonNullable<ReturnType<typeof updateOf>>[]>()
  for (const update of mutations.map(updateOf)) {
    const key = `${update?.value} ${update?.id}`
    if (update) updates.set(key, [...(updates.get(key) ?? []), update])
  }
  const applyTo = <V extends ValueName>(name: V, id: Uuid, value: DisplayedValues[V]) =>
    updates.get(`${name} ${id}`)?.reduce((now, update) => update.apply(now), value) ?? value
  const threads = new WeakMap<ThreadState, ThreadState>()
  const preferences = applyToRows('preferences', NO_ROWS, mutations, before?.preferences())
  const notificationPreferences = applyToRows(
    'notificationPreferences',
    NO_ROWS,
    mutations,
    before?.notificationPreferences(),
  )
  const sections = applyToRows('section', NO_ROWS, mutations, before?.sections())
  return {
    message: (message) => {
      const now = applyTo('message', message.id, message)
      if (now === message) return message
      const then = lastShown.get(message)
      const result = then && isShownAlike(then, now) ? then : now
      lastShown.set(message, result)
      return result
    },
    thread: (thread) => {
      const result = threads.get(thread) ?? applyTo('thread', thread.root_id, thread)
      threads.set(thread, result)
      return result
    },
    readMarker: (channelId, from) => applyTo('readMarker', channelId, from),
    preferences: () => preferences,
    notificationPreferences: () => notificationPreferences,
    sections: () => sections,
  }
}

type Rows<V extends ValueName> = ReadonlyMap<Uuid, NonNullable<DisplayedValues[V]>>
const NO_ROWS = new Map<Uuid, never>()

/** Rows by id after the mutations. Equal rows, and an equal result, stay the objects of the result `before`. */
export function applyToRows<
  V extends 'preferences' | 'notificationPreferences' | 'section' | 'draft' | 'saved',
>(name: V, rows: Rows<V>, mutations: Mutations, before: Rows<V> | undefined): Rows<V> {
  const result = new Map<Uuid, NonNullable<DisplayedValues[V]>>(rows)
  for (const mutation of mutations) {
    const update = updateOf(mutation)
    if (update?.value !== name) continue
    const row = update.apply<DisplayedValues[V] | null>(result.get(update.id) ?? null)
    if (row) result.set(update.id, row)
    else result.delete(update.id)
  }
  for (const [id, row] of result) result.set(id, reuseIfEqual(before?.get(id), row))
  return before?.size === result.size && [...result].every(([id, row]) => before.get(id) === row)
    ? before
    : result
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
