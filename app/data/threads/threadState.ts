import { useEffect } from 'react'
import type { ThreadState } from '../../../wire/threads.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { withOptimisticThreadUpdates } from '../mutations/currentOptimisticUpdates.ts'
import { getClientSession } from '../session/clientSession.ts'
import { callCommand } from '../client/callCommand.ts'
import { memoizeByKey } from '../hooks/memoize.ts'
import { useClientSession } from '../hooks/useClientSession.ts'

const stateOf = memoizeByKey(
  (_before: ThreadState | undefined, state: ThreadState, _optimisticVersion: number) =>
    withOptimisticThreadUpdates(state),
  400,
)

/** The reader's thread state with pending changes; null while it isn't known. */
export function useThreadState(rootId: Uuid): ThreadState | null {
  return useClientSession((session) => {
    const state = session?.store.get().threads.get(rootId)
    return session && state ? stateOf(rootId, state, session.optimisticVersion()) : null
  })
}

/** The same, fetched if it is not loaded. `isEnabled` false: not fetched yet. */
export function useFetchedThreadState(rootId: Uuid, isEnabled = true): ThreadState | null {
  const state = useThreadState(rootId)
  const unknown = isEnabled && state === null
  useEffect(() => {
    const session = getClientSession()
    const workspace = session?.store.get().workspace?.id
    if (!unknown || !session || !workspace) return
    void callCommand('thread_states', { workspace, roots: [rootId] }).then((outcome) => {
      if (!outcome.ok) return
      for (const thread of outcome.value.threads)
        session.store.dispatch({ type: 'threadStateReceived', thread })
    })
  }, [rootId, unknown])
  return state
}
