import { useEffect } from 'react'
import type { ThreadState, Uuid } from '../../wire/linnet.ts'
import { done } from './failures.ts'
import type { Outcome } from './failures.ts'
import { running } from './runtime.ts'
import { command } from './session/commands.ts'
import { remembered } from './steady.ts'
import { useRunning } from './useRunning.ts'

/** One's own place in a thread; null while it isn't known. `wanted`: it is asked for then. */
export function useThreadPlace(rootId: Uuid, wanted: boolean): ThreadState | null {
  const place = useRunning((now) => now?.store.get().threads.get(rootId) ?? null)
  const unknown = wanted && place === null
  useEffect(() => {
    const now = running()
    const workspace = now?.store.get().workspace?.id
    if (!unknown || !now || !workspace) return
    void command('thread_states', { workspace, roots: [rootId] }).then((outcome) => {
      if (!outcome.ok) return
      for (const thread of outcome.value.threads) now.store.dispatch({ type: 'threadStateGiven', thread })
    })
  }, [rootId, unknown])
  return place
}

function given(outcome: Outcome<{ thread: ThreadState }>): Outcome {
  if (!outcome.ok) return outcome
  running()?.store.dispatch({ type: 'threadStateGiven', thread: outcome.value.thread })
  return done(undefined)
}

/** Tells of new replies from now on, or no longer. */
export async function followThread(_channel: Uuid, root: Uuid, on: boolean): Promise<Outcome> {
  return given(await command('follow_thread', { root, on }))
}

/** Every reply from this `thread_seq` on is unread again. */
export async function markThreadUnread(_channel: Uuid, root: Uuid, from: number): Promise<Outcome> {
  const outcome = given(await command('mark_thread_unread', { root, thread_seq: from }))
  if (outcome.ok) running()?.threads.setLine(root, from)
  return outcome
}

/** The reader saw every reply up to this `thread_seq`. */
export function markThreadRead(_channel: Uuid, root: Uuid, upTo: number): void {
  const place = running()?.store.get().threads.get(root)
  if (!place || place.last_read_thread_seq >= upTo) return
  const { read_version } = place
  void command('mark_thread_read', { root, thread_seq: upTo, read_version }).then(given)
}

export interface ThreadReading {
  /** Every reply up to this `thread_seq` has been read, here or elsewhere. */
  readTo: number
  /** How much after it has not; at most 100. */
  unread: number
}

const NOTHING: ThreadReading = { readTo: 0, unread: 0 }

const readingOf = remembered((_before: ThreadReading | undefined, place: ThreadState): ThreadReading => ({
  readTo: place.last_read_thread_seq,
  unread: place.counts.unread,
}))

/** How far a thread has been read. */
export function useThreadReading(rootId: Uuid): ThreadReading {
  return useRunning((now) => {
    const place = now?.store.get().threads.get(rootId)
    return place ? readingOf(rootId, place) : NOTHING
  })
}
