import type { ThreadPage, ThreadState, Uuid } from '../../../wire/linnet.ts'
import type { Failure } from '../failures/failures.ts'
import type { PageAsked } from '../store/syncEvents.ts'
import type { Ports } from './ports.ts'
import { rangeOf } from '../store/ranges.ts'
import type { Range } from '../store/ranges.ts'
import type { ChannelRows, ThreadRows } from '../store/state.ts'
import type { Store } from '../store/store.ts'

/** More unread than this don't fit the newest page: then the first of them is asked for. */
const FITS_END = 40

/** Which part of a thread is looked at, and what is being fetched for it. */
export interface ThreadView {
  anchor: number | 'end'
  /** The `thread_seq` above which the "new" line stands; null: none. */
  line: number | null
  loading: boolean
  failure: Failure | null
}

const newView: ThreadView = { anchor: 'end', line: null, loading: false, failure: null }

export interface ThreadViews {
  get: (root: Uuid) => ThreadView
  subscribe: (listener: () => void) => () => void
  /**
   * Opens a thread at its first unread reply, or at the one that is asked for: sets the line, and fetches its words
   * where none are held.
   */
  open: (channelId: Uuid, root: Uuid, at?: number | null) => void
  /** Fetches what is looked at where it isn't held (any more). */
  fill: (channelId: Uuid, root: Uuid) => void
  close: (root: Uuid) => void
  loadBefore: (channelId: Uuid, root: Uuid) => void
  loadAfter: (channelId: Uuid, root: Uuid) => void
  jumpTo: (channelId: Uuid, root: Uuid, at: number | 'end') => void
  setLine: (root: Uuid, line: number | null) => void
  busy: () => number
}

/** The stretch of a thread that a view shows: around its anchor, or the newest that is held. */
export function threadWindow(thread: ThreadRows, anchor: number | 'end'): Range | null {
  return anchor === 'end' ? (thread.windows.at(-1) ?? null) : rangeOf(thread.windows, anchor)
}

/** Whether newer replies than the window's exist. */
export function hasNewer(rows: ChannelRows, root: Uuid, window: Range): boolean {
  return window.to < (rows.messages.get(root)?.last_thread_seq ?? 0)
}

/** Where the "new" line stands for whoever has this place in a thread; null: nothing is unread, or nothing was read. */
function lineOf(place: ThreadState | undefined): number | null {
  if (!place || place.counts.unread === 0) return null
  // Who comes upon a thread of others has not left off anywhere.
  if (!place.follows && place.last_read_thread_seq === 0) return null
  return place.last_read_thread_seq + 1
}

function anchorOf(place: ThreadState | undefined, line: number | null): number | 'end' {
  return place && line !== null && place.last_thread_seq - line > FITS_END ? line : 'end'
}

function askedBy(anchor: number | 'end'): PageAsked {
  return anchor === 'end' ? {} : { around: anchor }
}

/** Fetches pages of the threads that are looked at, one request a thread at a time. */
export function createThreadViews(store: Store, ports: Pick<Ports, 'call'>): ThreadViews {
  const views = new Map<Uuid, ThreadView>()
  /** Opened before one's place was known: the first page tells. */
  const unplaced = new Set<Uuid>()
  /** The views for which a page is on its way. */
  const fetching = new Map<Uuid, object>()
  const listeners = new Set<() => void>()
  let running = 0

  const get = (root: Uuid) => views.get(root) ?? newView
  function set(root: Uuid, change: Partial<ThreadView>) {
    views.set(root, { ...get(root), ...change })
    for (const listener of listeners) listener()
  }

  const held = (channelId: Uuid, root: Uuid) => {
    const rows = store.get().channels.get(channelId)
    const thread = rows?.threads.get(root)
    const window = thread && threadWindow(thread, get(root).anchor)
    return rows && thread && window ? { rows, thread, window } : null
  }

  async function fetchPage(channelId: Uuid, root: Uuid, asked: PageAsked) {
    if (get(root).loading) return
    const { anchor } = get(root)
    set(root, { loading: true, failure: null })
    running += 1
    const mine = {}
    fetching.set(root, mine)
    const outcome = await ports.call('thread_page', { root, ...asked })
    running -= 1
    // Closed meanwhile, and perhaps opened anew: then another page is on its way.
    if (fetching.get(root) !== mine) return
    fetching.delete(root)
    if (outcome.ok && outcome.value.channel_id === channelId) {
      if (unplaced.delete(root)) place(root, outcome.value)
      store.dispatch({ type: 'threadGiven', page: outcome.value, asked })
    }
    set(root, { loading: false, failure: outcome.ok ? null : outcome.failure })
    if (!outcome.ok || held(channelId, root)) return
    const wanted = get(root).anchor
    // A jump that came while another page was on its way, or the place that this page told.
    if (wanted !== anchor) await fetchPage(channelId, root, askedBy(wanted))
    else if (wanted !== 'end') set(root, { anchor: 'end' })
  }

  /** Before the words are shown: they open at the line. */
  function place(root: Uuid, page: ThreadPage) {
    const line = lineOf(page.state)
    const seen = page.messages[0]?.thread_seq ?? 1
    set(root, { line, anchor: line !== null && line < seen ? line : get(root).anchor })
  }

  function fill(channelId: Uuid, root: Uuid) {
    const shown = held(channelId, root)
    const { anchor } = get(root)
    if (!shown || (anchor === 'end' && hasNewer(shown.rows, root, shown.window)))
      void fetchPage(channelId, root, askedBy(anchor))
  }

  return {
    get,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    open: (channelId, root, at = null) => {
      const known = store.get().threads.get(root)
      const line = lineOf(known)
      unplaced.delete(root)
      if (!known && at === null) unplaced.add(root)
      set(root, { line, anchor: at ?? anchorOf(known, line) })
      fill(channelId, root)
    },
    fill,
    close: (root) => {
      views.delete(root)
      unplaced.delete(root)
      fetching.delete(root)
    },
    loadBefore: (channelId, root) => {
      const shown = held(channelId, root)
      if (!shown) fill(channelId, root)
      else if (shown.window.from > (shown.thread.first ?? 1))
        void fetchPage(channelId, root, { before: shown.window.from })
    },
    loadAfter: (channelId, root) => {
      const shown = held(channelId, root)
      if (shown && hasNewer(shown.rows, root, shown.window))
        void fetchPage(channelId, root, { after: shown.window.to })
    },
    jumpTo: (channelId, root, at) => {
      set(root, { anchor: at })
      fill(channelId, root)
    },
    setLine: (root, line) => {
      if (views.has(root)) set(root, { line })
    },
    busy: () => running,
  }
}
