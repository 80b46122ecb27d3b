import type {
  ChangedReaction,
  ChannelEntry,
  ChannelEvent,
  ChannelPage,
  Message,
  Reaction,
  ThreadPage,
} from '../../../wire/linnet.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { addRange, rangeOf, touches } from './ranges.ts'
import type { Range } from './ranges.ts'
import { historyStart, hasLoadedMessages } from './state.ts'
import type { ChannelRows, ThreadRows } from './state.ts'

/** A channel of which nothing but its entry is loaded. */
export function createChannelRows(entry: ChannelEntry): ChannelRows {
  return {
    entry,
    rev: entry.counters.rev,
    aheadRevs: [],
    unloadedRev: entry.counters.rev,
    messages: new Map(),
    bySeq: new Map(),
    windows: [],
    first: null,
    threads: new Map(),
    countsRev: entry.counters.rev,
  }
}

/** The same rows under counters that may only rise. Without words nothing can be stale. */
export function raiseCounters(rows: ChannelRows, rev: number, lastSeq = 0): ChannelRows {
  const counters = rows.entry.counters
  const head = Math.max(counters.rev, rev)
  const last = Math.max(counters.last_seq, lastSeq)
  const rowsRev = hasLoadedMessages(rows) ? rows.rev : head
  if (head === counters.rev && last === counters.last_seq && rowsRev === rows.rev) return rows
  const entry = { ...rows.entry, counters: { ...counters, rev: head, last_seq: last } }
  return { ...rows, entry, rev: rowsRev, aheadRevs: rowsRev === rows.rev ? rows.aheadRevs : [] }
}

/** Takes note that the change `rev` is in what is loaded. */
export function advanceRev(rows: ChannelRows, rev: number): ChannelRows {
  if (rev <= rows.rev) return rows
  if (rev > rows.rev + 1) {
    if (rows.aheadRevs.includes(rev)) return rows
    return { ...rows, aheadRevs: [...rows.aheadRevs, rev].slice(-MAX_AHEAD) }
  }
  let rowsRev = rev
  while (rows.aheadRevs.includes(rowsRev + 1)) rowsRev += 1
  return { ...rows, rev: rowsRev, aheadRevs: rows.aheadRevs.filter((one) => one > rowsRev) }
}

/** Beyond so many, a gap is fetched anyway. */
const MAX_AHEAD = 64

/** Everything up to `to` is in what is loaded, provided that nothing before `after` was missing. */
export function advanceRevTo(rows: ChannelRows, after: number, to: number): ChannelRows {
  if (rows.rev < after || to <= rows.rev) return rows
  const advanced: ChannelRows = { ...rows, rev: to, aheadRevs: rows.aheadRevs.filter((rev) => rev > to) }
  return advanced.aheadRevs.includes(to + 1) ? advanceRev(advanced, to + 1) : advanced
}

/**
 * Puts messages into what is loaded: those already loaded when newer, and those that touch a window's end.
 * The others are left out, for a window has no holes. `fetched` rows know the reader's own reactions.
 */
export function putMessages(
  rows: ChannelRows,
  incoming: readonly Message[],
  fetched: boolean,
  me: Uuid | null,
): ChannelRows {
  const messages = new Map(rows.messages)
  const bySeq = new Map(rows.bySeq)
  let windows = rows.windows
  const threads = new Map(rows.threads)
  let changed = false

  const put = (message: Message): boolean => {
    const loaded = messages.get(message.id)
    if (loaded && (fetched ? loaded.rev > message.rev : loaded.rev >= message.rev)) return false
    const row = fetched ? message : withOwnReactions(message, loaded, me)
    if (!row) return false
    messages.set(row.id, row)
    changed = true
    return true
  }

  const ascending = [...incoming].sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0))
  for (const message of ascending) {
    const { seq } = message
    if (seq !== null && touches(windows, seq)) {
      put(message)
      if (messages.has(message.id) && !bySeq.has(seq)) {
        bySeq.set(seq, message.id)
        windows = addRange(windows, { from: seq, to: seq })
        changed = true
      }
    } else if (messages.has(message.id) || threads.has(message.id)) put(message)
  }
  const replies = [...incoming].sort((a, b) => (a.thread_seq ?? 0) - (b.thread_seq ?? 0))
  for (const message of replies) {
    const number = message.thread_seq
    const thread = message.thread_root === null ? undefined : threads.get(message.thread_root)
    if (number === null || !thread || message.thread_root === null) continue
    if (!touches(thread.windows, number)) continue
    put(message)
    if (!messages.has(message.id) || thread.byNumber.has(number)) continue
    threads.set(message.thread_root, {
      ...thread,
      windows: addRange(thread.windows, { from: number, to: number }),
      byNumber: new Map(thread.byNumber).set(number, message.id),
    })
    changed = true
  }
  const leftOut = incoming.filter(({ id }) => !messages.has(id)).map(({ rev }) => rev)
  const unheldRev = Math.max(rows.unloadedRev, ...leftOut)
  if (!changed && unheldRev === rows.unloadedRev) return rows
  return { ...rows, messages, bySeq, windows, threads, unloadedRev: unheldRev }
}

/** Applies a change to the message that it follows; where that isn't loaded, the change is noted or has to be fetched. */
export function applyMessageChange(
  rows: ChannelRows,
  { message_id: id, rev, before, changes, reaction }: MessageChange,
  me: Uuid | null,
): ChannelRows {
  const known = raiseCounters(rows, rev)
  const loaded = known.messages.get(id)
  if (!loaded) return advanceRev({ ...known, unloadedRev: Math.max(known.unloadedRev, rev) }, rev)
  if (loaded.rev < rev && loaded.rev !== before) return known
  if (loaded.rev >= rev) return advanceRev(known, rev)
  const reactions = reaction ? withReaction(loaded.reactions, reaction, me) : loaded.reactions
  const messages = new Map(known.messages).set(id, { ...loaded, ...changes, rev, reactions })
  return advanceRev({ ...known, messages }, rev)
}

type MessageChange = Extract<ChannelEvent, { event: 'changed' }>['payload']

function withReaction(
  reactions: readonly Reaction[],
  { at, by, on, ...changed }: ChangedReaction,
  me: Uuid | null,
): Reaction[] {
  const before = reactions.find((one) => one.emoji === changed.emoji)
  const others = reactions.filter((one) => one !== before)
  if (changed.count === 0) return others
  const mine = by === me ? on : before?.mine === true
  return [...others.slice(0, at), { ...changed, mine }, ...others.slice(at)]
}

/** Whether the message goes on where the reader follows the end, of the timeline or of its thread. */
export function continuesLoadedEnd(rows: ChannelRows, message: Message): boolean {
  const end = rows.windows.at(-1)
  if (message.seq !== null && end && end.to >= rows.entry.counters.last_seq) return true
  const thread = message.thread_root === null ? undefined : rows.threads.get(message.thread_root)
  const root = message.thread_root === null ? undefined : rows.messages.get(message.thread_root)
  const last = thread?.windows.at(-1)
  return last !== undefined && root !== undefined && last.to >= root.last_thread_seq
}

/**
 * A broadcast is the same for everyone, so `mine` comes from what is loaded.
 * Null when it can't be known: then the change is fetched rather than guessed.
 */
function withOwnReactions(message: Message, loaded: Message | undefined, me: Uuid | null): Message | null {
  if (message.reactions.length === 0) return message
  const reactions: Reaction[] = []
  for (const reaction of message.reactions) {
    let mine: boolean
    if (reaction.count <= reaction.people.length) mine = me !== null && reaction.people.includes(me)
    else if (loaded) mine = loaded.reactions.some((one) => one.emoji === reaction.emoji && one.mine === true)
    else return null
    reactions.push({ ...reaction, mine })
  }
  return { ...message, reactions }
}

/** A page's own rev bounds what is loaded: an older page makes everything as old as itself until asked. */
function limitToPageRev(rows: ChannelRows, rev: number, epoch: number): ChannelRows {
  const rowsRev = hasLoadedMessages(rows) ? Math.min(rows.rev, rev) : rev
  const counters = {
    ...rows.entry.counters,
    rev: Math.max(rows.entry.counters.rev, rev),
    epoch: Math.max(rows.entry.counters.epoch, epoch),
  }
  // Revs taken ahead speak of what was loaded before this page came.
  const unheldRev = Math.max(rows.unloadedRev, rev)
  return { ...rows, rev: rowsRev, aheadRevs: [], unloadedRev: unheldRev, entry: { ...rows.entry, counters } }
}

/** Lays a page of the timeline over what is loaded. */
export function mergeChannelPage(rows: ChannelRows, page: ChannelPage, request: PageRequest): ChannelRows {
  const base = limitToPageRev(rows, page.rev, page.epoch)
  const seqs = page.messages.flatMap((message) => (message.seq === null ? [] : [message.seq]))
  const newest = request.before === undefined && request.after === undefined && request.around === undefined
  const range = pageRange(seqs, request, newest ? historyStart(base.entry) : null)
  if (!range) return base
  const first = page.has_before ? base.first : range.from
  const last = page.messages.at(-1)?.seq ?? range.to
  const opened = { ...base, windows: addRange(base.windows, range), first }
  const known = raiseCounters(indexMessages(opened, page.messages), page.rev, last)
  if (page.has_after || page.rev < known.entry.counters.rev) return known
  return { ...known, entry: { ...known.entry, counters: { ...known.entry.counters, last_seq: range.to } } }
}

/** Lays a page of a thread, with its root, over what is loaded. */
export function mergeThreadPage(rows: ChannelRows, page: ThreadPage, request: PageRequest): ChannelRows {
  const base = limitToPageRev(rows, page.rev, page.epoch)
  const loaded: ThreadRows = base.threads.get(page.root.id) ?? {
    windows: [],
    byNumber: new Map(),
    first: null,
  }
  const numbers = page.messages.flatMap((reply) => (reply.thread_seq === null ? [] : [reply.thread_seq]))
  const newest = request.before === undefined && request.after === undefined && request.around === undefined
  const range = pageRange(numbers, request, newest ? 1 : null)
  const byNumber = new Map(loaded.byNumber)
  for (const reply of page.messages) if (reply.thread_seq !== null) byNumber.set(reply.thread_seq, reply.id)
  const windows = range ? addRange(loaded.windows, range) : loaded.windows
  const first = page.has_before || !range ? loaded.first : range.from
  const threads = new Map(base.threads).set(page.root.id, { windows, byNumber, first })
  return raiseCounters(indexMessages({ ...base, threads }, [page.root, ...page.messages]), page.rev)
}

function pageRange(numbers: number[], request: PageRequest, historyStart: number | null) {
  const from = numbers[0]
  const to = numbers.at(-1)
  if (from !== undefined && to !== undefined) {
    // The range between the asked number and the page is known to be empty.
    if (request.before !== undefined) return { from, to: Math.max(to, request.before - 1) }
    if (request.after !== undefined) return { from: Math.min(from, request.after + 1), to }
    return { from, to }
  }
  if (request.before !== undefined) return { from: request.before, to: request.before - 1 }
  if (request.after !== undefined) return { from: request.after + 1, to: request.after }
  return historyStart === null ? null : { from: historyStart, to: historyStart - 1 }
}

/** Stores fetched rows, newest winning, and finds each by its seq where a window covers it. */
function indexMessages(rows: ChannelRows, incoming: readonly Message[]): ChannelRows {
  const messages = new Map(rows.messages)
  const bySeq = new Map(rows.bySeq)
  for (const message of incoming) {
    const loaded = messages.get(message.id)
    if (!loaded || loaded.rev <= message.rev) messages.set(message.id, message)
    if (message.seq !== null && rangeOf(rows.windows, message.seq)) bySeq.set(message.seq, message.id)
  }
  return { ...rows, messages, bySeq }
}

/** The rows without what is evicted, which may have changed up to the revs received. */
export function evict(rows: ChannelRows, remaining: Partial<ChannelRows>): ChannelRows {
  return { ...rows, ...remaining, unloadedRev: Math.max(rows.unloadedRev, rows.rev, ...rows.aheadRevs) }
}

/** A seq (or the newest loaded), and how many messages to keep on either side of it. */
export interface RetainedRange {
  around: number | 'end'
  count: number
}

/** Evicts what lies in none of these ranges. */
export function trimRows(
  rows: ChannelRows,
  ranges: readonly RetainedRange[],
  retainThreads: boolean,
): ChannelRows {
  const threads = retainThreads ? rows.threads : new Map<Uuid, ThreadRows>()
  let windows: readonly Range[] = []
  for (const { around, count } of ranges) {
    const end = rows.windows.at(-1)
    const window = around === 'end' ? end : rangeOf(rows.windows, around)
    if (!window) continue
    const centre = around === 'end' ? window.to : around
    const from = Math.max(window.from, centre - count)
    windows = addRange(windows, { from, to: Math.max(from - 1, Math.min(window.to, centre + count)) })
  }
  const same = (window: Range, at: number) =>
    window.from === windows[at]?.from && window.to === windows[at]?.to
  if (windows.length === rows.windows.length && rows.windows.every(same) && retainThreads) return rows
  const bySeq = new Map([...rows.bySeq].filter(([seq]) => rangeOf(windows, seq)))
  const ids = new Set(bySeq.values())
  for (const [root, thread] of threads) {
    ids.add(root)
    for (const id of thread.byNumber.values()) ids.add(id)
  }
  const messages = new Map([...rows.messages].filter(([id]) => ids.has(id)))
  return evict(rows, { windows, bySeq, messages, threads })
}
/** The arguments of `channel_page` or `thread_page`; without any, the newest page. */
export interface PageRequest {
  before?: number
  after?: number
  around?: number
}
