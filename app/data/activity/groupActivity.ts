import type { ActivityEntry } from '../../../wire/activity.ts'
import type { Uuid } from '../../../wire/scalars.ts'

/** An entry of the list, or all listed reactions to one message. */
export interface ActivityItem extends Pick<ActivityEntry, 'kind' | 'at' | 'message' | 'thread'> {
  key: string
  /** Who reacted, the latest first, and with what; empty for other kinds. */
  people: readonly Uuid[]
  emoji: readonly string[]
}

/** Returns the key that identifies an entry of a list. A thread has one entry. */
export function entryKey({ kind, message, emoji, profile_id: person }: ActivityEntry): string {
  return kind === 'reply' ? `reply ${message.thread_root}` : `${kind} ${message.id} ${emoji} ${person}`
}

/** One item for all reactions to a message, at the time of the latest. */
export function groupActivity(entries: readonly ActivityEntry[]): ActivityItem[] {
  const items = new Map<string, ActivityItem>()
  for (const entry of entries) {
    const { kind, at, message, thread, profile_id: person, emoji } = entry
    const key = kind === 'reaction' ? `reaction ${message.id}` : entryKey(entry)
    const known: ActivityItem = items.get(key) ?? { key, kind, at, message, thread, people: [], emoji: [] }
    const { people, emoji: before } = known
    items.set(key, {
      ...known,
      people: person === null || people.includes(person) ? people : [...people, person],
      emoji: emoji === null || before.includes(emoji) ? before : [...before, emoji],
    })
  }
  return [...items.values()]
}
