import { useEffect } from 'react'
import type { ThreadState, Uuid } from '../../wire/linnet.ts'
import { done } from './failures.ts'
import type { Outcome } from './failures.ts'
import { running } from './runtime.ts'
import { command } from './session/commands.ts'
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
export async function followThread(root: Uuid, on: boolean): Promise<Outcome> {
  return given(await command('follow_thread', { root, on }))
}

/** Every reply from this `thread_seq` on is unread again. */
export async function markThreadUnread(root: Uuid, from: number): Promise<Outcome> {
  const outcome = given(await command('mark_thread_unread', { root, thread_seq: from }))
  if (outcome.ok) running()?.threads.setLine(root, from)
  return outcome
}
