import { LIMITS } from '../../../wire/limits.ts'
import type { ThreadPage, ThreadState } from '../../../wire/threads.ts'
import type { ChannelPage } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { backoff } from '../client/backoff.ts'
import { reportException } from '../failures/reportError.ts'
import { createFailure } from '../failures/failures.ts'
import type { Failure, Outcome } from '../failures/failures.ts'
import { setBounded } from '../hooks/setBounded.ts'
import { isThreadPage } from '../store/channelRows.ts'
import type { PageRequest, RetainedRange } from '../store/channelRows.ts'
import { readerOf } from '../store/reader.ts'
import type { Reader } from '../store/reader.ts'
import {
  hasAfter,
  hasBefore,
  historyStart,
  isBehind,
  lastNumber,
  loadedWindow,
  numberIn,
} from '../store/state.ts'
import type { ChannelRows, TimelineAddress } from '../store/state.ts'
import type { Store } from '../store/store.ts'
import { unreadOf } from '../store/unreadCounts.ts'
import type { Ports } from './ports.ts'

/** Maximum number of messages of one timeline that are loaded while it is open. */
const MAX_LOADED = 1_500
/** Messages at the end that stay loaded: they are shown at once on return, and stored for offline use. */
const RETAINED_AT_END = 150
/** Messages that stay loaded before and after the position at which a timeline was closed. */
const RETAINED_AT_POSITION = 60
/** Maximum number of timelines whose position is stored. */
const MAX_SCROLL_POSITIONS = 50
/** Messages of a page that is fetched while scrolling. Opening fetches fewer, since their number delays the first. */
const SCROLL_PAGE_SIZE = 100
/** With more unread messages than this, the page around the first of them is fetched instead of the newest page. */
const MAX_UNREAD_AT_END = 40

/** The displayed part of a timeline, and the state of its requests. */
export interface TimelineView {
  anchor: number | 'end'
  /** The "new" line is shown above this number; null: no line. */
  unreadLine: number | null
  loading: boolean
  failure: Failure | null
}

/** The position of a list: its top row, the number of that row, and its distance below the upper edge (px). */
export interface ScrollPosition {
  id: string
  number: number | null
  top: number
}

interface OpenView extends TimelineView {
  at: TimelineAddress
  /** The rows with which it was opened last, and the number at which it has to open; null: it is not open. */
  opened: { rows: 'none' | 'cached' | 'live'; number: number | null } | null
  /** The reader has scrolled or requested a position, so that the first unread message no longer determines it. */
  isPlaced: boolean
  /** Opened before the reader's thread state was loaded: the first page contains it. */
  awaitsThreadState: boolean
  /** The number of requests that have failed in a row. */
  failures: number
}

const END: RetainedRange = { around: 'end', count: RETAINED_AT_END }
const CLOSED: Omit<OpenView, 'at'> = {
  anchor: 'end',
  unreadLine: null,
  loading: false,
  failure: null,
  opened: null,
  isPlaced: false,
  awaitsThreadState: false,
  failures: 0,
}

export interface TimelineViews {
  get: (at: TimelineAddress) => TimelineView
  subscribe: (listener: () => void) => () => void
  /**
   * Opens a timeline at `number`, the first unread message, the last position, or the end, and fetches what is missing
   * there. It opens as soon as its channel is loaded, and anew once the rows are the server's instead of cached ones,
   * which may have another first unread message.
   */
  open: (at: TimelineAddress, number?: number | null) => void
  /** The reader has moved: the position is theirs from now on. */
  markPlaced: (at: TimelineAddress) => void
  /** Messages arrived while nobody was looking: shows the line above them, unless it is above unread ones already. */
  updateUnreadLine: (at: TimelineAddress) => void
  setUnreadLine: (at: TimelineAddress, line: number | null) => void
  /** The current or last position of the reader in a channel or a thread, by its id or root; null: at the end. */
  scrollPosition: (key: Uuid) => ScrollPosition | null
  /** Stores the position of the reader, for the next opening; null: at the end. */
  saveScrollPosition: (key: Uuid, position: ScrollPosition | null) => void
  /** Closes it, and evicts messages far from the end and from the stored position. */
  close: (at: TimelineAddress) => void
  /** Fetches the page of the anchor if that is not loaded (any more). */
  fetchMissing: (at: TimelineAddress) => void
  loadBefore: (at: TimelineAddress) => void
  loadAfter: (at: TimelineAddress) => void
  jumpTo: (at: TimelineAddress, number: number | 'end') => void
  /** Repeats failed requests of timelines that have nothing to show: the connection is back. */
  retryFailed: () => void
  pendingRequests: () => number
}

const pageRequestFor = (anchor: number | 'end'): PageRequest => (anchor === 'end' ? {} : { around: anchor })
const keyOf = ({ channel, root }: TimelineAddress): Uuid => root ?? channel

/**
 * Fetches the pages of displayed timelines, of channels and threads, one request at a time for each. `pendingRead`: the
 * seq up to which a channel was read here, before the server has confirmed it; 0: nothing is pending.
 */
export function createTimelineViews(
  store: Store,
  ports: Pick<Ports, 'call' | 'after' | 'random'>,
  pendingRead: (channel: Uuid) => number,
): TimelineViews {
  const views = new Map<Uuid, OpenView>()
  const scrollPositions = new Map<Uuid, ScrollPosition>()
  /** The request of each view. Another one is running if the view was closed and opened meanwhile. */
  const requests = new Map<Uuid, object>()
  const listeners = new Set<() => void>()
  let running = 0

  const get = (at: TimelineAddress): Omit<OpenView, 'at'> => views.get(keyOf(at)) ?? CLOSED
  const rowsOf = ({ channel }: TimelineAddress) => store.get().channels.get(channel)
  function set(at: TimelineAddress, change: Partial<Omit<OpenView, 'at'>>) {
    views.set(keyOf(at), { ...get(at), ...change, at })
    for (const listener of listeners) listener()
  }

  function requestPage(
    { channel, root }: TimelineAddress,
    request: PageRequest,
  ): Promise<Outcome<ChannelPage | ThreadPage>> {
    const isScrolling = request.before !== undefined || request.after !== undefined
    const args = { limit: isScrolling ? SCROLL_PAGE_SIZE : LIMITS.pageSize, ...request }
    return root === null
      ? ports.call('channel_page', { channel, ...args })
      : ports.call('thread_page', { root, ...args })
  }

  async function fetchPage(at: TimelineAddress, request: PageRequest): Promise<void> {
    const { loading, anchor } = get(at)
    if (loading) return
    set(at, { loading: true, failure: null })
    running += 1
    const current = {}
    requests.set(keyOf(at), current)
    const outcome = await requestPage(at, request)
    running -= 1
    if (requests.get(keyOf(at)) !== current) return
    requests.delete(keyOf(at))
    // The URL of a thread may name another channel than its root's.
    const page = outcome.ok && outcome.value.channel_id === at.channel ? outcome.value : null
    let failure = outcome.ok ? null : outcome.failure
    try {
      if (page) {
        if (isThreadPage(page) && get(at).awaitsThreadState) openAtThreadState(at, page)
        store.dispatch({ type: 'pageReceived', page, request })
        trim(at, request)
      }
    } catch (error) {
      reportException(error)
      failure = createFailure('unknown')
    }
    set(at, { loading: false, failure, failures: failure ? get(at).failures + 1 : 0 })
    if (failure?.isRetryable && get(at).opened) repeatLater(at)
    const rows = rowsOf(at)
    if (!rows) return
    const requested = get(at).anchor
    const window = loadedWindow(rows, at.root, requested)
    // The end was requested while this page was, and what is loaded ends before it.
    const endsEarly =
      page && requested === 'end' && anchor !== 'end' && window && hasAfter(rows, at.root, window)
    if (window && !endsEarly) return
    if (!page) {
      // A failed jump: loaded messages are better than none.
      if (loadedWindow(rows, at.root, 'end')) set(at, { anchor: 'end' })
    } else if (requested !== anchor) await fetchPage(at, pageRequestFor(requested))
    else {
      // The requested message is not readable (before the history start) or does not exist: the page has adjacent ones.
      const first = page.messages[0]
      set(at, { anchor: (first && numberIn(first, at.root)) ?? 'end' })
    }
  }

  /** Before the page is shown, so that its first frame has the line and the position. */
  function openAtThreadState(at: TimelineAddress, page: ThreadPage) {
    const line = threadUnreadLine(page.state)
    const first = page.messages[0]?.thread_seq ?? 1
    const moves = line !== null && line < first && !get(at).isPlaced
    set(at, { awaitsThreadState: false, unreadLine: line, ...(moves ? { anchor: line } : {}) })
  }

  function findUnreadLine({ channel, root }: TimelineAddress, rows: ChannelRows): number | null {
    return root === null
      ? channelUnreadLine(rows, pendingRead(channel), readerOf(store.get()))
      : threadUnreadLine(store.get().threads.get(root))
  }

  function openingAnchor(at: TimelineAddress, rows: ChannelRows, line: number | null): number | 'end' {
    if (line === null) return scrollPositions.get(keyOf(at))?.number ?? 'end'
    const last =
      at.root === null ? lastNumber(rows, null) : (store.get().threads.get(at.root)?.last_thread_seq ?? 0)
    return last - line > MAX_UNREAD_AT_END ? line : 'end'
  }

  /** Limits what is loaded, however far the reader scrolls: the other end is evicted. */
  function trim(at: TimelineAddress, request: PageRequest) {
    const rows = rowsOf(at)
    const window = rows && loadedWindow(rows, at.root, get(at).anchor)
    const around = request.before ?? request.after
    if (!window || window.to - window.from < MAX_LOADED || around === undefined) return
    set(at, { anchor: around })
    const retain = [{ around, count: MAX_LOADED / 2 }, END]
    store.dispatch({ type: 'rowsTrimmed', at, retain, withThreads: false })
  }

  function fetchMissing(at: TimelineAddress) {
    const rows = rowsOf(at)
    if (!rows) return
    const { anchor } = get(at)
    const window = loadedWindow(rows, at.root, anchor)
    if (!window || (anchor === 'end' && hasAfter(rows, at.root, window)))
      void fetchPage(at, pageRequestFor(anchor))
  }

  /** Repeats a failed request if there is nothing to show. */
  function repeatFailed(at: TimelineAddress) {
    const { failure, anchor } = get(at)
    const rows = rowsOf(at)
    if (failure && rows && !loadedWindow(rows, at.root, anchor)) fetchMissing(at)
  }

  function repeatLater(at: TimelineAddress) {
    const { failures } = get(at)
    // Unless another request has been made meanwhile.
    ports.after(backoff(ports.random, failures - 1), () => {
      if (get(at).failures === failures) repeatFailed(at)
    })
  }

  function openWithRows(at: TimelineAddress) {
    const { opened } = get(at)
    const rows = rowsOf(at)
    if (!opened || !rows) return
    const { number } = opened
    set(at, { opened: { rows: store.get().source === 'live' ? 'live' : 'cached', number } })
    const line = findUnreadLine(at, rows)
    const awaitsThreadState = at.root !== null && !store.get().threads.has(at.root)
    // Unless a jump before the opening, or the reader since, has determined the position.
    if (!get(at).isPlaced)
      set(at, { anchor: number ?? openingAnchor(at, rows, line), isPlaced: number !== null })
    set(at, { unreadLine: line, awaitsThreadState })
    // An open channel fetches its changes, which contain the messages after those that are loaded.
    const willCatchUp = at.root === null && isBehind(rows)
    if (!willCatchUp || !loadedWindow(rows, null, get(at).anchor)) fetchMissing(at)
  }

  store.subscribe(() => {
    const source = store.get().source === 'live' ? 'live' : 'cached'
    for (const { at, opened } of views.values()) {
      if (!opened) continue
      // The reader lost access, and may regain it.
      if (!rowsOf(at)) opened.rows = 'none'
      else if (opened.rows !== 'live' && opened.rows !== source) openWithRows(at)
    }
  })

  return {
    get,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    open: (at, number = null) => {
      set(at, { opened: { rows: 'none', number } })
      openWithRows(at)
    },
    markPlaced: (at) => {
      if (views.has(keyOf(at)) && !get(at).isPlaced) set(at, { isPlaced: true })
    },
    updateUnreadLine: (at) => {
      const rows = rowsOf(at)
      if (!rows) return
      const { unreadLine } = get(at)
      const readTo = Math.max(rows.entry.state.last_read_seq, pendingRead(at.channel))
      if (unreadLine !== null && unreadLine > readTo) return
      const found = findUnreadLine(at, rows)
      if (found !== null && found !== unreadLine) set(at, { unreadLine: found })
    },
    setUnreadLine: (at, line) => {
      // A closed view finds its line when it opens.
      if (views.has(keyOf(at))) set(at, { unreadLine: line })
    },
    scrollPosition: (key) => scrollPositions.get(key) ?? null,
    saveScrollPosition: (key, position) => {
      if (position) setBounded(scrollPositions, key, position, MAX_SCROLL_POSITIONS)
      else scrollPositions.delete(key)
    },
    close: (at) => {
      views.delete(keyOf(at))
      requests.delete(keyOf(at))
      const around = scrollPositions.get(keyOf(at))?.number ?? null
      const retain = around === null ? [END] : [END, { around, count: RETAINED_AT_POSITION }]
      store.dispatch({ type: 'rowsTrimmed', at, retain, withThreads: at.root === null })
    },
    fetchMissing,
    loadBefore: (at) => {
      const rows = rowsOf(at)
      const window = rows && loadedWindow(rows, at.root, get(at).anchor)
      if (!window) fetchMissing(at)
      else if (hasBefore(rows, at.root, window)) void fetchPage(at, { before: window.from })
    },
    loadAfter: (at) => {
      const rows = rowsOf(at)
      const window = rows && loadedWindow(rows, at.root, get(at).anchor)
      if (window && hasAfter(rows, at.root, window)) void fetchPage(at, { after: window.to })
    },
    jumpTo: (at, number) => {
      set(at, { anchor: number, isPlaced: true })
      fetchMissing(at)
    },
    retryFailed: () => {
      for (const { at } of views.values()) repeatFailed(at)
    },
    pendingRequests: () => running,
  }
}

/** The first unread seq of a channel; null: nothing is unread, or the reader is no member. */
function channelUnreadLine(rows: ChannelRows, pendingRead: number, me: Reader): number | null {
  const { state, counters, member } = rows.entry
  const readTo = Math.max(state.last_read_seq, pendingRead)
  if (!member || readTo >= counters.last_seq || unreadOf(rows, me, pendingRead).unread === 0) return null
  return Math.max(readTo + 1, historyStart(rows.entry))
}

/** The first unread `thread_seq`; null: nothing is unread, or the reader opens the thread for the first time. */
function threadUnreadLine(state: ThreadState | undefined): number | null {
  if (!state || state.counts.unread === 0) return null
  if (!state.follows && state.last_read_thread_seq === 0) return null
  return state.last_read_thread_seq + 1
}
