import { backoff } from '../client/backoff.ts'
import { takeSnapshot } from '../store/requestSnapshot.ts'
import type { Ports } from './ports.ts'
import type { Store } from '../store/store.ts'

/** Milliseconds before a stale state is fetched: the reply that it lacks may be in transit. */
const FETCH_DELAY_MS = 150
/** Maximum number of threads of a request. */
const MAX_BATCH = 100

export interface ThreadStateFetcher {
  /** Called after each change of rows: requests the thread states that are stale. */
  fetchStale: () => void
  /** Running and scheduled requests. */
  pendingRequests: () => number
  stop: () => void
}

/** Refreshes stale thread states: the only caller of `thread_states`. */
export function createThreadStateFetcher(
  store: Store,
  ports: Pick<Ports, 'call' | 'after' | 'random'>,
): ThreadStateFetcher {
  let waiting: (() => void) | null = null
  let running = false
  let attempts = 0
  let stopped = false

  function fetchStale() {
    if (waiting || running || stopped) return
    const { staleThreads, workspace, source } = store.get()
    if (staleThreads.size === 0 || !workspace || source !== 'live') return
    waiting = ports.after(attempts > 0 ? backoff(ports.random, attempts - 1) : FETCH_DELAY_MS, () => {
      waiting = null
      void fetchStates()
    })
  }

  async function fetchStates() {
    const { staleThreads, workspace } = store.get()
    const requested = new Map(
      [...staleThreads].slice(0, MAX_BATCH).map(([root, { last }]) => [root, last] as const),
    )
    if (requested.size === 0 || !workspace) return
    const snapshot = takeSnapshot(store.get())
    running = true
    const outcome = await ports.call('thread_states', {
      workspace: workspace.id,
      roots: [...requested.keys()],
    })
    running = false
    if (stopped) return
    attempts = outcome.ok ? 0 : attempts + 1
    if (outcome.ok)
      store.dispatch({ type: 'threadStatesReceived', threads: outcome.value.threads, requested, snapshot })
    // After a final failure the next heartbeat contains the states, or the next stale thread fetches them.
    if (outcome.ok || outcome.failure.isRetryable) fetchStale()
  }

  return {
    fetchStale,
    pendingRequests: () => (waiting ? 1 : 0) + (running ? 1 : 0),
    stop: () => {
      stopped = true
      waiting?.()
    },
  }
}
