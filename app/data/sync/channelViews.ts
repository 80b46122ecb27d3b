import { LIMITS } from '../../../wire/linnet.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Failure } from '../failures/failures.ts'
import type { PageRequest } from '../store/channelRows.ts'
import type { Ports } from './ports.ts'
import { rangeOf } from '../store/ranges.ts'
import type { Range } from '../store/ranges.ts'
import { historyStart, isBehind } from '../store/state.ts'
import type { RetainedRange } from '../store/channelRows.ts'
import type { ChannelRows } from '../store/state.ts'
import type { Store } from '../store/store.ts'
import { unreadOf } from '../store/unreadCounts.ts'

/** More messages than this are not loaded of one conversation while it is read. */
const MAX_LOADED = 1_500
/** What stays of a conversation that was left, and always of its end: shown at once, and kept for offline. */
const RETAINED_AT_END = 150
/** What stays on either side of the place where a conversation was left. */
const RETAINED_AT_POSITION = 60
/** Messages of a page that is fetched while scrolling. */
const SCROLL_PAGE_SIZE = 100
/** More unread than this don't fit the newest page: then the first of them is fetched. */
const MAX_UNREAD_AT_END = 40

/** Which part of a conversation is looked at, and what is being fetched for it. */
export interface ChannelView {
  anchor: number | 'end'
  /** Where the "new" line stands; null: none. */
  unreadLine: number | null
  loading: boolean
  failure: Failure | null
}

const END: RetainedRange = { around: 'end', count: RETAINED_AT_END }
const INITIAL_VIEW: ChannelView = { anchor: 'end', unreadLine: null, loading: false, failure: null }

export interface ChannelViews {
  get: (id: Uuid) => ChannelView
  subscribe: (listener: () => void) => () => void
  /** Opens a conversation: sets the line, and fetches its messages where none are loaded. */
  open: (channelId: Uuid) => void
  /**
   * Computes the line again: the server has sent what is unread, or messages arrived while the view was hidden. A line
   * before an unread message stays. `pendingRead`: read here, and not known to the server yet.
   */
  updateUnreadLine: (channelId: Uuid, pendingRead: number) => void
  /** Where the reader stands, to come back to; null: at the end. */
  saveScrollPosition: (channelId: Uuid, seq: number | null) => void
  /** Closes it: evicts what is far from the end and from the place kept. */
  close: (channelId: Uuid) => void
  loadBefore: (channelId: Uuid) => void
  loadAfter: (channelId: Uuid) => void
  jumpTo: (channelId: Uuid, seq: number | 'end') => void
  setUnreadLine: (channelId: Uuid, seq: number | null) => void
  /** Asks again for conversations that could not be shown: back online. */
  retryFailed: () => void
  pendingRequests: () => number
}

/** The range that a view shows: around its anchor, or the newest that is loaded. */
export function loadedWindow(rows: ChannelRows, anchor: number | 'end'): Range | null {
  if (anchor === 'end') return rows.windows.at(-1) ?? null
  return rangeOf(rows.windows, anchor)
}

/** Fetches pages for what is looked at; scrolling goes through one request a conversation at a time. */
export function createChannelViews(store: Store, ports: Pick<Ports, 'call'>): ChannelViews {
  const views = new Map<Uuid, ChannelView>()
  const scrollPositions = new Map<Uuid, number>()
  /** The views for which a page is on its way. */
  const fetching = new Map<Uuid, object>()
  const listeners = new Set<() => void>()
  let running = 0

  const get = (id: Uuid) => views.get(id) ?? INITIAL_VIEW
  function set(id: Uuid, change: Partial<ChannelView>) {
    views.set(id, { ...get(id), ...change })
    for (const listener of listeners) listener()
  }

  async function fetchPage(channelId: Uuid, request: PageRequest) {
    if (get(channelId).loading) return
    const { anchor } = get(channelId)
    set(channelId, { loading: true, failure: null })
    running += 1
    // Scrolling fetches larger pages; opening fetches a small one, since it delays the first messages.
    const scrolls = request.before !== undefined || request.after !== undefined
    const limit = scrolls ? SCROLL_PAGE_SIZE : LIMITS.page
    const mine = {}
    fetching.set(channelId, mine)
    const outcome = await ports.call('channel_page', { channel: channelId, limit, ...request })
    running -= 1
    // Closed meanwhile, and perhaps opened anew: then another page is on its way.
    if (fetching.get(channelId) !== mine) return
    fetching.delete(channelId)
    if (outcome.ok) {
      store.dispatch({ type: 'pageReceived', page: outcome.value, request })
      trim(channelId, request)
    }
    set(channelId, { loading: false, failure: outcome.ok ? null : outcome.failure })
    const rows = store.get().channels.get(channelId)
    const wanted = get(channelId).anchor
    if (!rows) return
    const window = loadedWindow(rows, wanted)
    // The end was requested, and what came is loaded up to somewhere before it.
    const short = outcome.ok && wanted !== anchor && wanted === 'end' && window && hasAfter(rows, window)
    if (window && !short) return
    if (!outcome.ok) {
      // A jump that came to nothing: whatever is loaded is better than an empty page.
      if (loadedWindow(rows, 'end')) set(channelId, { anchor: 'end' })
      return
    }
    // A jump that came while another page was on its way.
    if (wanted !== anchor) await fetchPage(channelId, pageRequestFor(wanted))
    // What was wanted is not there for us (before the history start, or deleted): its neighbors are.
    else set(channelId, { anchor: outcome.value.messages[0]?.seq ?? 'end' })
  }

  function findUnreadLine(rows: ChannelRows, pendingRead: number): number | null {
    const { state, counters, member } = rows.entry
    const readMarker = Math.max(state.last_read_seq, pendingRead)
    if (!member || readMarker >= counters.last_seq) return null
    const me = store.get().me?.profile.id ?? null
    return unreadOf(rows, me, pendingRead).unread > 0
      ? Math.max(readMarker + 1, historyStart(rows.entry))
      : null
  }

  function pageRequestFor(anchor: number | 'end'): PageRequest {
    return anchor === 'end' ? {} : { around: anchor }
  }

  /** Memory stays flat however far one scrolls: what lies on the other side is evicted. */
  function trim(channelId: Uuid, request: PageRequest) {
    const rows = store.get().channels.get(channelId)
    const window = rows && loadedWindow(rows, get(channelId).anchor)
    if (!window || window.to - window.from < MAX_LOADED) return
    if (request.before === undefined && request.after === undefined) return
    const around = request.before ?? request.after ?? 0
    set(channelId, { anchor: around })
    const retain = [{ around, count: MAX_LOADED / 2 }, END]
    store.dispatch({ type: 'rowsTrimmed', channelId, retain, threads: true })
  }

  return {
    get,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    open: (channelId) => {
      const rows = store.get().channels.get(channelId)
      if (!rows) return
      const line = findUnreadLine(rows, 0)
      const scrollPosition = scrollPositions.get(channelId)
      let anchor: ChannelView['anchor'] = 'end'
      if (line !== null && rows.entry.counters.last_seq - line > MAX_UNREAD_AT_END) anchor = line
      else if (line === null && scrollPosition !== undefined) anchor = scrollPosition
      // A jump that came before the conversation was open knows better.
      set(channelId, views.has(channelId) ? { unreadLine: line } : { unreadLine: line, anchor })
      const wanted = get(channelId).anchor
      const window = loadedWindow(rows, wanted)
      // Messages loaded before are shown; those missing since then come as changes, but not where they end elsewhere.
      const ends = wanted !== 'end' || isBehind(rows) || (window && !hasAfter(rows, window))
      if (!window || !ends) void fetchPage(channelId, pageRequestFor(wanted))
    },
    updateUnreadLine: (channelId, pendingRead) => {
      const rows = store.get().channels.get(channelId)
      if (!rows) return
      const { unreadLine } = get(channelId)
      if (unreadLine !== null && unreadLine > Math.max(rows.entry.state.last_read_seq, pendingRead)) return
      const found = findUnreadLine(rows, pendingRead)
      if (found !== null && found !== unreadLine) set(channelId, { unreadLine: found })
    },
    saveScrollPosition: (channelId, seq) => {
      if (seq === null) scrollPositions.delete(channelId)
      else scrollPositions.set(channelId, seq)
    },
    close: (channelId) => {
      views.delete(channelId)
      fetching.delete(channelId)
      const scrollPosition = scrollPositions.get(channelId)
      const retain =
        scrollPosition === undefined ? [END] : [END, { around: scrollPosition, count: RETAINED_AT_POSITION }]
      store.dispatch({ type: 'rowsTrimmed', channelId, retain, threads: false })
    },
    loadBefore: (channelId) => {
      const rows = store.get().channels.get(channelId)
      const window = rows && loadedWindow(rows, get(channelId).anchor)
      if (rows && window && hasBefore(rows, window)) void fetchPage(channelId, { before: window.from })
      else if (rows && !window) void fetchPage(channelId, pageRequestFor(get(channelId).anchor))
    },
    loadAfter: (channelId) => {
      const rows = store.get().channels.get(channelId)
      const window = rows && loadedWindow(rows, get(channelId).anchor)
      if (window && hasAfter(rows, window)) void fetchPage(channelId, { after: window.to })
    },
    jumpTo: (channelId, seq) => {
      set(channelId, { anchor: seq })
      const rows = store.get().channels.get(channelId)
      if (!rows) return
      const window = loadedWindow(rows, seq)
      if (!window || (seq === 'end' && hasAfter(rows, window))) void fetchPage(channelId, pageRequestFor(seq))
    },
    setUnreadLine: (channelId, line) => {
      // Opened, it looks for the line itself.
      if (views.has(channelId)) set(channelId, { unreadLine: line })
    },
    retryFailed: () => {
      for (const [id, view] of views) {
        const rows = store.get().channels.get(id)
        if (view.failure && rows && !loadedWindow(rows, view.anchor))
          void fetchPage(id, pageRequestFor(view.anchor))
      }
    },
    pendingRequests: () => running,
  }
}

/** Whether older messages than the window's are readable. */
export function hasBefore(rows: ChannelRows, window: Range): boolean {
  return window.from > (rows.first ?? historyStart(rows.entry))
}

/** Whether newer messages than the window's exist. */
export function hasAfter(rows: ChannelRows, window: Range): boolean {
  return window.to < rows.entry.counters.last_seq
}
