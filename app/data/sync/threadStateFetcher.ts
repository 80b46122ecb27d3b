import { backoff } from './ports.ts'
import { knownOf } from '../store/requestSnapshot.ts'
import type { Ports } from './ports.ts'
import type { Store } from '../store/store.ts'

/** How long a doubt may settle by itself (the reply's own words are on their way) before it is asked for. */
const PATIENCE = 150
/** So many threads are asked for at once. */
const BATCH = 100

export interface ThreadAsking {
  /** Called after each change of rows: asks for the places in threads that are in doubt. */
  settle: () => void
  /** Requests that run or wait. */
  busy: () => number
  stop: () => void
}

/** Settles doubts about places in threads: the only caller of `thread_states`. */
export function createThreadAsking(
  store: Store,
  ports: Pick<Ports, 'call' | 'after' | 'random'>,
): ThreadAsking {
  let waiting: (() => void) | null = null
  let running = false
  let tries = 0
  let stopped = false

  function settle() {
    if (waiting || running || stopped) return
    const { threadDoubts, workspace, source } = store.get()
    if (threadDoubts.size === 0 || !workspace || source !== 'live') return
    waiting = ports.after(tries > 0 ? backoff(ports, tries - 1) : PATIENCE, () => {
      waiting = null
      void ask()
    })
  }

  async function ask() {
    const { threadDoubts, workspace } = store.get()
    const asked = new Map([...threadDoubts].slice(0, BATCH).map(([root, { last }]) => [root, last] as const))
    if (asked.size === 0 || !workspace) return
    const known = knownOf(store.get())
    running = true
    const outcome = await ports.call('thread_states', { workspace: workspace.id, roots: [...asked.keys()] })
    running = false
    if (stopped) return
    tries = outcome.ok ? 0 : tries + 1
    if (outcome.ok)
      store.dispatch({ type: 'threadStatesGiven', threads: outcome.value.threads, asked, known })
    // What can't be answered now is told by the next beat, or asked for with the next doubt.
    if (outcome.ok || outcome.failure.again) settle()
  }

  return {
    settle,
    busy: () => (waiting ? 1 : 0) + (running ? 1 : 0),
    stop: () => {
      stopped = true
      waiting?.()
    },
  }
}
