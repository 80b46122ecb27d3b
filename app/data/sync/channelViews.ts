import { LIMITS } from '../../../wire/linnet.ts'
import type { Uuid } from '../../../wire/linnet.ts'
import type { Failure } from '../failures/failures.ts'
import type { PageAsked } from '../store/syncEvents.ts'
import type { Ports } from './ports.ts'
import { rangeOf } from '../store/ranges.ts'
import type { Range } from '../store/ranges.ts'
import { floorOf, isBehind } from '../store/state.ts'
import type { Stretch } from '../store/channelRows.ts'
import type { ChannelRows } from '../store/state.ts'
import type { Store } from '../store/store.ts'
import { unreadOf } from '../store/unreadCounts.ts'

/** More messages than this are not held of one conversation while it is read. */
const HELD_MOST = 1_500
/** What stays of a conversation that was left, and always of its end: shown at once, and kept for offline. */
const HELD_LEFT = 150
/** What stays on either side of the place where a conversation was left. */
const HELD_PLACE = 60
/** Messages of a page that is asked for while scrolling. */
const PAGE_SCROLLED = 100
/** More unread than this don't fit the newest page: then the first of them is asked for. */
const FITS_END = 40

/** Which part of a conversation is looked at, and what is being fetched for it. */
export interface View {
  anchor: number | 'end'
  /** Where the "new" line stands; null: none. */
  line: number | null
  loading: boolean
  failure: Failure | null
}

const END: Stretch = { around: 'end', keep: HELD_LEFT }
const newView: View = { anchor: 'end', line: null, loading: false, failure: null }

export interface Views {
  get: (id: Uuid) => View
  subscribe: (listener: () => void) => () => void
  /** Opens a conversation: sets the line, and fetches its words where none are held. */
  open: (channelId: Uuid) => void
  /**
   * Looks for the line again: the server has told what is unread, or words came while nobody looked. One that
   * stands before something unread stays. `seen`: read here, and not known to the server yet.
   */
  findLine: (channelId: Uuid, seen: number) => void
  /** Where the reader stands, to come back to; null: at the end. */
  keepPlace: (channelId: Uuid, seq: number | null) => void
  /** Closes it: lets go of what is far from the end and from the place kept. */
  close: (channelId: Uuid) => void
  loadBefore: (channelId: Uuid) => void
  loadAfter: (channelId: Uuid) => void
  jumpTo: (channelId: Uuid, seq: number | 'end') => void
  setLine: (channelId: Uuid, seq: number | null) => void
  /** Asks again for conversations that could not be shown: back online. */
  retryFailed: () => void
  busy: () => number
}

/** The stretch that a view shows: around its anchor, or the newest that is held. */
export function windowOf(rows: ChannelRows, anchor: number | 'end'): Range | null {
  if (anchor === 'end') return rows.windows.at(-1) ?? null
  return rangeOf(rows.windows, anchor)
}

/** Fetches pages for what is looked at; scrolling goes through one request a conversation at a time. */
export function createViews(store: Store, ports: Pick<Ports, 'call'>): Views {
  const views = new Map<Uuid, View>()
  const places = new Map<Uuid, number>()
  /** The views for which a page is on its way. */
  const fetching = new Map<Uuid, object>()
  const listeners = new Set<() => void>()
  let running = 0

  const get = (id: Uuid) => views.get(id) ?? newView
  function set(id: Uuid, change: Partial<View>) {
    views.set(id, { ...get(id), ...change })
    for (const listener of listeners) listener()
  }

  async function fetchPage(channelId: Uuid, asked: PageAsked) {
    if (get(channelId).loading) return
    const { anchor } = get(channelId)
    set(channelId, { loading: true, failure: null })
    running += 1
    // Who scrolls wants more of the same; whoever opens wants to see something soon.
    const scrolls = asked.before !== undefined || asked.after !== undefined
    const limit = scrolls ? PAGE_SCROLLED : LIMITS.page
    const mine = {}
    fetching.set(channelId, mine)
    const outcome = await ports.call('channel_page', { channel: channelId, limit, ...asked })
    running -= 1
    // Closed meanwhile, and perhaps opened anew: then another page is on its way.
    if (fetching.get(channelId) !== mine) return
    fetching.delete(channelId)
    if (outcome.ok) {
      store.dispatch({ type: 'pageGiven', page: outcome.value, asked })
      trim(channelId, asked)
    }
    set(channelId, { loading: false, failure: outcome.ok ? null : outcome.failure })
    const rows = store.get().channels.get(channelId)
    const wanted = get(channelId).anchor
    if (!rows) return
    const window = windowOf(rows, wanted)
    // The end was asked for, and what came is held up to somewhere before it.
    const short = outcome.ok && wanted !== anchor && wanted === 'end' && window && hasAfter(rows, window)
    if (window && !short) return
    if (!outcome.ok) {
      // A jump that came to nothing: whatever is held is better than an empty page.
      if (windowOf(rows, 'end')) set(channelId, { anchor: 'end' })
      return
    }
    // A jump that came while another page was on its way.
    if (wanted !== anchor) await fetchPage(channelId, askedBy(wanted))
    // What was wanted is not there for us (below the floor, or gone): its neighbours are.
    else set(channelId, { anchor: outcome.value.messages[0]?.seq ?? 'end' })
  }

  function lineOf(rows: ChannelRows, seen: number): number | null {
    const { state, counters, member } = rows.entry
    const pointer = Math.max(state.last_read_seq, seen)
    if (!member || pointer >= counters.last_seq) return null
    const me = store.get().me?.profile.id ?? null
    return unreadOf(rows, me, seen).unread > 0 ? Math.max(pointer + 1, floorOf(rows.entry)) : null
  }

  function askedBy(anchor: number | 'end'): PageAsked {
    return anchor === 'end' ? {} : { around: anchor }
  }

  /** Memory stays flat however far one scrolls: what lies on the other side is let go. */
  function trim(channelId: Uuid, asked: PageAsked) {
    const rows = store.get().channels.get(channelId)
    const window = rows && windowOf(rows, get(channelId).anchor)
    if (!window || window.to - window.from < HELD_MOST) return
    if (asked.before === undefined && asked.after === undefined) return
    const around = asked.before ?? asked.after ?? 0
    set(channelId, { anchor: around })
    const stretches = [{ around, keep: HELD_MOST / 2 }, END]
    store.dispatch({ type: 'trimmed', channelId, stretches, threads: true })
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
      const line = lineOf(rows, 0)
      const place = places.get(channelId)
      let anchor: View['anchor'] = 'end'
      if (line !== null && rows.entry.counters.last_seq - line > FITS_END) anchor = line
      else if (line === null && place !== undefined) anchor = place
      // A jump that came before the conversation was open knows better.
      set(channelId, views.has(channelId) ? { line } : { line, anchor })
      const wanted = get(channelId).anchor
      const window = windowOf(rows, wanted)
      // Words held from before are shown; those missing since then come as changes, but not where they end elsewhere.
      const ends = wanted !== 'end' || isBehind(rows) || (window && !hasAfter(rows, window))
      if (!window || !ends) void fetchPage(channelId, askedBy(wanted))
    },
    findLine: (channelId, seen) => {
      const rows = store.get().channels.get(channelId)
      if (!rows) return
      const { line } = get(channelId)
      if (line !== null && line > Math.max(rows.entry.state.last_read_seq, seen)) return
      const found = lineOf(rows, seen)
      if (found !== null && found !== line) set(channelId, { line: found })
    },
    keepPlace: (channelId, seq) => {
      if (seq === null) places.delete(channelId)
      else places.set(channelId, seq)
    },
    close: (channelId) => {
      views.delete(channelId)
      fetching.delete(channelId)
      const place = places.get(channelId)
      const stretches = place === undefined ? [END] : [END, { around: place, keep: HELD_PLACE }]
      store.dispatch({ type: 'trimmed', channelId, stretches, threads: false })
    },
    loadBefore: (channelId) => {
      const rows = store.get().channels.get(channelId)
      const window = rows && windowOf(rows, get(channelId).anchor)
      if (rows && window && hasBefore(rows, window)) void fetchPage(channelId, { before: window.from })
      else if (rows && !window) void fetchPage(channelId, askedBy(get(channelId).anchor))
    },
    loadAfter: (channelId) => {
      const rows = store.get().channels.get(channelId)
      const window = rows && windowOf(rows, get(channelId).anchor)
      if (window && hasAfter(rows, window)) void fetchPage(channelId, { after: window.to })
    },
    jumpTo: (channelId, seq) => {
      set(channelId, { anchor: seq })
      const rows = store.get().channels.get(channelId)
      if (!rows) return
      const window = windowOf(rows, seq)
      if (!window || (seq === 'end' && hasAfter(rows, window))) void fetchPage(channelId, askedBy(seq))
    },
    setLine: (channelId, line) => {
      // Opened, it looks for the line itself.
      if (views.has(channelId)) set(channelId, { line })
    },
    retryFailed: () => {
      for (const [id, view] of views) {
        const rows = store.get().channels.get(id)
        if (view.failure && rows && !windowOf(rows, view.anchor)) void fetchPage(id, askedBy(view.anchor))
      }
    },
    busy: () => running,
  }
}

/** Whether older messages than the window's are readable. */
export function hasBefore(rows: ChannelRows, window: Range): boolean {
  return window.from > (rows.first ?? floorOf(rows.entry))
}

/** Whether newer messages than the window's exist. */
export function hasAfter(rows: ChannelRows, window: Range): boolean {
  return window.to < rows.entry.counters.last_seq
}
