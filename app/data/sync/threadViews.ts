import type { ThreadPage, ThreadState } from '../../../wire/linnet.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Failure } from '../failures/failures.ts'
import type { PageRequest } from '../store/channelRows.ts'
import type { Ports } from './ports.ts'
import { rangeOf } from '../store/ranges.ts'
import type { Range } from '../store/ranges.ts'
import type { ChannelRows, ThreadRows } from '../store/state.ts'
import type { Store } from '../store/store.ts'

/** More unread than this don't fit the newest page: then the first of them is fetched. */
const MAX_UNREAD_AT_END = 40

/** Which part of a thread is looked at, and what is being fetched for it. */
export interface ThreadView {
  anchor: number | 'end'
  /** The `thread_seq` above which the "new" line stands; null: none. */
  unreadLine: number | null
  loading: boolean
  failure: Failure | null
}

const INITIAL_VIEW: ThreadView = { anchor: 'end', unreadLine: null, loading: false, failure: null }

export interface ThreadViews {
  get: (root: Uuid) => ThreadView
  subscribe: (listener: () => void) => () => void
  /**
   * Opens a thread at its first unread reply, or at the one that is fetched: sets the line, and fetches its messages
   * where none are loaded.
   */
  open: (channelId: Uuid, root: Uuid, at?: number | null) => void
  /** Fetches what is looked at where it isn't loaded (any more). */
  fetchMissing: (channelId: Uuid, root: Uuid) => void
  close: (root: Uuid) => void
  loadBefore: (channelId: Uuid, root: Uuid) => void
  loadAfter: (channelId: Uuid, root: Uuid) => void
  jumpTo: (channelId: Uuid, root: Uuid, at: number | 'end') => void
  setUnreadLine: (root: Uuid, line: number | null) => void
  pendingRequests: () => number
}

/** The range of a thread that a view shows: around its anchor, or the newest that is loaded. */
export function loadedThreadWindow(thread: ThreadRows, anchor: number | 'end'): Range | null {
  return anchor === 'end' ? (thread.windows.at(-1) ?? null) : rangeOf(thread.windows, anchor)
}

/** Whether newer replies than the window's exist. */
export function hasRepliesAfter(rows: ChannelRows, root: Uuid, window: Range): boolean {
  return window.to < (rows.messages.get(root)?.last_thread_seq ?? 0)
}

/** Position of the "new" line for this thread state; null: nothing is unread, or nothing was read. */
function findUnreadLine(state: ThreadState | undefined): number | null {
  if (!state || state.counts.unread === 0) return null
  // A reader who opens a thread for the first time has no read marker in it.
  if (!state.follows && state.last_read_thread_seq === 0) return null
  return state.last_read_thread_seq + 1
}

function anchorOf(state: ThreadState | undefined, line: number | null): number | 'end' {
  return state && line !== null && state.last_thread_seq - line > MAX_UNREAD_AT_END ? line : 'end'
}

function pageRequestFor(anchor: number | 'end'): PageRequest {
  return anchor === 'end' ? {} : { around: anchor }
}

/** Fetches pages of the threads that are looked at, one request a thread at a time. */
export function createThreadViews(store: Store, ports: Pick<Ports, 'call'>): ThreadViews {
  const views = new Map<Uuid, ThreadView>()
  /** Opened before the read marker was known: the first page contains it. */
  const awaitingState = new Set<Uuid>()
  /** The views for which a page is on its way. */
  const fetching = new Map<Uuid, object>()
  const listeners = new Set<() => void>()
  let running = 0

  const get = (root: Uuid) => views.get(root) ?? INITIAL_VIEW
  function set(root: Uuid, change: Partial<ThreadView>) {
    views.set(root, { ...get(root), ...change })
    for (const listener of listeners) listener()
  }

  const loadedThread = (channelId: Uuid, root: Uuid) => {
    const rows = store.get().channels.get(channelId)
    const thread = rows?.threads.get(root)
    const window = thread && loadedThreadWindow(thread, get(root).anchor)
    return rows && thread && window ? { rows, thread, window } : null
  }

  async function fetchPage(channelId: Uuid, root: Uuid, request: PageRequest) {
    if (get(root).loading) return
    const { anchor } = get(root)
    set(root, { loading: true, failure: null })
    running += 1
    const mine = {}
    fetching.set(root, mine)
    const outcome = await ports.call('thread_page', { root, ...request })
    running -= 1
    // Closed meanwhile, and perhaps opened anew: then another page is on its way.
    if (fetching.get(root) !== mine) return
    fetching.delete(root)
    if (outcome.ok && outcome.value.channel_id === channelId) {
      if (awaitingState.delete(root)) showUnreadLine(root, outcome.value)
      store.dispatch({ type: 'threadPageReceived', page: outcome.value, request })
    }
    set(root, { loading: false, failure: outcome.ok ? null : outcome.failure })
    if (!outcome.ok || loadedThread(channelId, root)) return
    const wanted = get(root).anchor
    // A jump that came while another page was on its way, or the read marker that this page contained.
    if (wanted !== anchor) await fetchPage(channelId, root, pageRequestFor(wanted))
    else if (wanted !== 'end') set(root, { anchor: 'end' })
  }

  /** Before the words are shown: they open at the line. */
  function showUnreadLine(root: Uuid, page: ThreadPage) {
    const line = findUnreadLine(page.state)
    const seen = page.messages[0]?.thread_seq ?? 1
    set(root, { unreadLine: line, anchor: line !== null && line < seen ? line : get(root).anchor })
  }

  function fetchMissing(channelId: Uuid, root: Uuid) {
    const shown = loadedThread(channelId, root)
    const { anchor } = get(root)
    if (!shown || (anchor === 'end' && hasRepliesAfter(shown.rows, root, shown.window)))
      void fetchPage(channelId, root, pageRequestFor(anchor))
  }

  return {
    get,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    open: (channelId, root, at = null) => {
      const known = store.get().threads.get(root)
      const line = findUnreadLine(known)
      awaitingState.delete(root)
      if (!known && at === null) awaitingState.add(root)
      set(root, { unreadLine: line, anchor: at ?? anchorOf(known, line) })
      fetchMissing(channelId, root)
    },
    fetchMissing,
    close: (root) => {
      views.delete(root)
      awaitingState.delete(root)
      fetching.delete(root)
    },
    loadBefore: (channelId, root) => {
      const shown = loadedThread(channelId, root)
      if (!shown) fetchMissing(channelId, root)
      else if (shown.window.from > (shown.thread.first ?? 1))
        void fetchPage(channelId, root, { before: shown.window.from })
    },
    loadAfter: (channelId, root) => {
      const shown = loadedThread(channelId, root)
      if (shown && hasRepliesAfter(shown.rows, root, shown.window))
        void fetchPage(channelId, root, { after: shown.window.to })
    },
    jumpTo: (channelId, root, at) => {
      set(root, { anchor: at })
      fetchMissing(channelId, root)
    },
    setUnreadLine: (root, line) => {
      if (views.has(root)) set(root, { unreadLine: line })
    },
    pendingRequests: () => running,
  }
}
