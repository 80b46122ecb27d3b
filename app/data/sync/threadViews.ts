import type { Uuid } from '../../../wire/linnet.ts'
import type { Failure } from '../failures.ts'
import type { PageAsked } from './events.ts'
import type { Ports } from './ports.ts'
import type { Store } from './store.ts'

/** What is being fetched for a thread that is looked at. */
export interface ThreadView {
  loading: boolean
  failure: Failure | null
}

const newView: ThreadView = { loading: false, failure: null }

export interface ThreadViews {
  get: (root: Uuid) => ThreadView
  subscribe: (listener: () => void) => () => void
  /** Fetches a thread's words where none are held. */
  open: (channelId: Uuid, root: Uuid) => void
  loadBefore: (channelId: Uuid, root: Uuid) => void
  busy: () => number
}

/** Fetches pages of the threads that are looked at, one request a thread at a time. */
export function createThreadViews(store: Store, ports: Pick<Ports, 'call'>): ThreadViews {
  const views = new Map<Uuid, ThreadView>()
  const listeners = new Set<() => void>()
  let running = 0

  const get = (root: Uuid) => views.get(root) ?? newView
  function set(root: Uuid, change: Partial<ThreadView>) {
    views.set(root, { ...get(root), ...change })
    for (const listener of listeners) listener()
  }

  async function fetchPage(channelId: Uuid, root: Uuid, asked: PageAsked) {
    if (get(root).loading) return
    set(root, { loading: true, failure: null })
    running += 1
    const outcome = await ports.call('thread_page', { root, ...asked })
    running -= 1
    if (outcome.ok && outcome.value.channel_id === channelId) {
      store.dispatch({ type: 'threadGiven', page: outcome.value, asked })
    }
    set(root, { loading: false, failure: outcome.ok ? null : outcome.failure })
  }

  return {
    get,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    open: (channelId, root) => {
      if (!store.get().channels.get(channelId)?.threads.has(root)) void fetchPage(channelId, root, {})
    },
    loadBefore: (channelId, root) => {
      const thread = store.get().channels.get(channelId)?.threads.get(root)
      const window = thread?.windows.at(-1)
      if (!thread) void fetchPage(channelId, root, {})
      else if (window && window.from > (thread.first ?? 1)) {
        void fetchPage(channelId, root, { before: window.from })
      }
    },
    busy: () => running,
  }
}
