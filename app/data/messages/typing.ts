import type { Uuid } from '../../../wire/scalars.ts'
import type { TypingPayload } from '../sync/topics.ts'

/** Milliseconds after which a person counts as no longer typing; clients repeat the command earlier. */
const TYPING_TIMEOUT_MS = 7_000

export interface Typing {
  started: (typing: TypingPayload) => void
  /** People who are typing in a channel or thread, in order of starting. The same array until it changes. */
  people: (channelId: Uuid, threadRoot: Uuid | null) => readonly Uuid[]
  /** The person's message has arrived. */
  ended: (channelId: Uuid, profileId: Uuid) => void
  stop: () => void
}

const NO_PEOPLE: readonly Uuid[] = []

/** Tracks who is typing. */
export function createTyping(changed: () => void): Typing {
  const typingByKey = new Map<string, readonly Uuid[]>()
  const timers = new Map<string, ReturnType<typeof setTimeout>>()
  const keyOf = (channelId: Uuid, threadRoot: Uuid | null) => `${channelId}/${threadRoot ?? ''}`

  function remove(at: string, profileId: Uuid) {
    const key = `${at}/${profileId}`
    const timer = timers.get(key)
    if (timer === undefined) return
    clearTimeout(timer)
    timers.delete(key)
    const left = (typingByKey.get(at) ?? []).filter((one) => one !== profileId)
    if (left.length > 0) typingByKey.set(at, left)
    else typingByKey.delete(at)
    changed()
  }

  return {
    started: ({ channel_id, profile_id, thread_root }) => {
      const at = keyOf(channel_id, thread_root)
      const key = `${at}/${profile_id}`
      clearTimeout(timers.get(key))
      timers.set(
        key,
        setTimeout(() => remove(at, profile_id), TYPING_TIMEOUT_MS),
      )
      const known = typingByKey.get(at) ?? []
      if (known.includes(profile_id)) return
      typingByKey.set(at, [...known, profile_id])
      changed()
    },
    people: (channelId, threadRoot) => typingByKey.get(keyOf(channelId, threadRoot)) ?? NO_PEOPLE,
    ended: (channelId, profileId) => {
      for (const at of typingByKey.keys()) if (at.startsWith(`${channelId}/`)) remove(at, profileId)
    },
    stop: () => {
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}
