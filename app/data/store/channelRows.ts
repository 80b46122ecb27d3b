import type { ChannelEvent } from '../../../wire/events.ts'
import type { ThreadPage } from '../../../wire/threads.ts'
import type { KnownChange, ChannelPage, Message, ChangedReaction, Reaction } from '../../../wire/messages.ts'
import type { ChannelEntry } from '../../../wire/channels.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { addRange, rangeOf, touches } from './ranges.ts'
import type { Range } from './ranges.ts'
import { advanceRev } from './revProgress.ts'
import { hasAfter, hasLoadedMessages, loadedWindow, lowestNumber, numberIn, timelineOf } from './state.ts'
import type { ChannelRows, TimelineRows } from './state.ts'

/** A channel of which only the entry is loaded. */
export function createChannelRows(entry: ChannelEntry): ChannelRows {
  return {
    entry,
    rev: entry.counters.rev,
    aheadRevs: [],
    unloadedRev: entry.counters.rev,
    messages: new Map(),
    ...EMPTY_TIMELINE,
    threads: new Map(),
    countsRev: entry.counters.rev,
    knownChanges: changesOf(entry),
  }
}

/** The change that an entry names. */
export function changesOf({ counters: { rev, change_id: id } }: ChannelEntry): readonly KnownChange[] {
  return id === undefined ? [] : [[rev, id]]
}

/** So many are sent to be confirmed: the server has only the latest change of each message. */
const MAX_KNOWN_CHANGES = 12

/** The rows with one more change of the history to which they belong. */
export function addKnownChange(rows: ChannelRows, rev: number, id: number | undefined): ChannelRows {
  const last = rows.knownChanges.at(-1)
  if (id === undefined || (last && last[0] >= rev)) return rows
  return { ...rows, knownChanges: [...rows.knownChanges, [rev, id] as const].slice(-MAX_KNOWN_CHANGES) }
}

const EMPTY_TIMELINE: TimelineRows = { windows: [], byNumber: new Map(), first: null }

/** Raises the counters, which never fall. Where no messages are loaded, no change is missing. */
export function raiseCounters(rows: ChannelRows, rev: number, lastSeq = 0): ChannelRows {
  const counters = rows.entry.counters
  const head = Math.max(counters.rev, rev)
  const last = Math.max(counters.last_seq, lastSeq)
  const rowsRev = hasLoadedMessages(rows) ? rows.rev : head
  if (head === counters.rev && last === counters.last_seq && rowsRev === rows.rev) return rows
  const changeId = head === counters.rev ? counters.change_id : undefined
  const entry = { ...rows.entry, counters: { ...counters, rev: head, last_seq: last, change_id: changeId } }
  return { ...rows, entry, rev: rowsRev, aheadRevs: rowsRev === rows.rev ? rows.aheadRevs : [] }
}

/**
 * Stores messages that are loaded already and have changed, and those adjacent to a window of their channel or thread.
 * Others are left out, since a window has no gaps. `fetched`: `mine` of the reactions is the reader's own.
 */
export function putMessages(
  rows: ChannelRows,
  incoming: readonly Message[],
  fetched: boolean,
  me: Uuid | null,
): ChannelRows {
  const messages = new Map(rows.messages)
  const threads = new Map(rows.threads)
  let timeline: TimelineRows = rows
  let changed = false

  const put = (message: Message): void => {
    const loaded = messages.get(message.id)
    if (loaded && (fetched ? loaded.rev > message.rev : loaded.rev >= message.rev)) return
    const row = fetched ? message : withOwnReactions(message, loaded, me)
    if (!row) return
    messages.set(row.id, row)
    changed = true
  }
  const insertAll = (into: TimelineRows, root: Uuid | null, candidates: readonly Message[]): TimelineRows => {
    let { windows } = into
    const byNumber = new Map(into.byNumber)
    for (const { number, message } of ascending(candidates, root)) {
      // Its deletion by retention may arrive after the channel's new start.
      if (number < lowestNumber(rows.entry, root) || !touches(windows, number)) continue
      put(message)
      if (!messages.has(message.id) || byNumber.has(number)) continue
      byNumber.set(number, message.id)
      windows = addRange(windows, { from: number, to: number })
    }
    if (byNumber.size === into.byNumber.size) return into
    changed = true
    return { ...into, windows, byNumber }
  }

  timeline = insertAll(rows, null, incoming)
  for (const message of incoming) if (messages.has(message.id) || threads.has(message.id)) put(message)
  for (const root of new Set(incoming.map((message) => message.thread_root))) {
    const thread = root === null ? undefined : threads.get(root)
    if (root === null || !thread) continue
    const replies = incoming.filter((message) => message.thread_root === root)
    threads.set(root, insertAll(thread, root, replies))
  }
  const leftOut = incoming.filter(({ id }) => !messages.has(id)).map(({ rev }) => rev)
  const unloadedRev = Math.max(rows.unloadedRev, ...leftOut)
  if (!changed && unloadedRev === rows.unloadedRev) return rows
  const { windows, byNumber } = timeline
  return { ...rows, messages, byNumber, windows, threads, unloadedRev }
}

/** The messages that have a number in this timeline, ascending. */
function ascending(messages: readonly Message[], root: Uuid | null): { number: number; message: Message }[] {
  return messages
    .flatMap((message) => {
      const number = numberIn(message, root)
      return number === null ? [] : [{ number, message }]
    })
    .sort((a, b) => a.number - b.number)
}

/** Applies a change to its message, if that is loaded and at the rev before the change; else it has to be fetched. */
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
  const before = reactions.find(({ emoji }) => emoji === changed.emoji)
  const others = reactions.filter((reaction) => reaction !== before)
  if (changed.count === 0) return others
  const mine = by === me ? on : before?.mine === true
  return [...others.slice(0, at), { ...changed, mine }, ...others.slice(at)]
}

/** Whether all messages up to this one are loaded, of its channel or of its thread. */
export function continuesLoadedEnd(rows: ChannelRows, message: Message): boolean {
  const isEndLoaded = (root: Uuid | null) => {
    const end = loadedWindow(rows, root, 'end')
    return end !== null && !hasAfter(rows, root, end)
  }
  if (message.seq !== null && isEndLoaded(null)) return true
  return (
    message.thread_root !== null && rows.messages.has(message.thread_root) && isEndLoaded(message.thread_root)
  )
}

/**
 * Derives `mine`, which broadcasts lack, from the people listed or from the loaded message. Null where neither contains
 * it: then the message has to be fetched.
 */
function withOwnReactions(message: Message, loaded: Message | undefined, me: Uuid | null): Message | null {
  if (message.reactions.length === 0) return message
  const reactions: Reaction[] = []
  for (const reaction of message.reactions) {
    let mine: boolean
    if (reaction.count <= reaction.people.length) mine = me !== null && reaction.people.includes(me)
    else if (loaded)
      mine = loaded.reactions.some(({ emoji, mine: own }) => emoji === reaction.emoji && own === true)
    else return null
    reactions.push({ ...reaction, mine })
  }
  return { ...message, reactions }
}

/** What is loaded is as old as its oldest page, until the changes since then are fetched. */
function limitToPageRev(rows: ChannelRows, rev: number, epoch: number): ChannelRows {
  const rowsRev = hasLoadedMessages(rows) ? Math.min(rows.rev, rev) : rev
  const counters = {
    ...rows.entry.counters,
    rev: Math.max(rows.entry.counters.rev, rev),
    epoch: Math.max(rows.entry.counters.epoch, epoch),
    change_id: rev > rows.entry.counters.rev ? undefined : rows.entry.counters.change_id,
  }
  const unloadedRev = Math.max(rows.unloadedRev, rev)
  // `aheadRevs` are those of messages that were loaded before this page.
  return { ...rows, rev: rowsRev, aheadRevs: [], unloadedRev, entry: { ...rows.entry, counters } }
}

export function isThreadPage(page: ChannelPage | ThreadPage): page is ThreadPage {
  return 'root' in page
}

/** Adds a page of the channel's timeline, or of a thread with its root, to what is loaded. */
export function mergePage(
  rows: ChannelRows,
  page: ChannelPage | ThreadPage,
  request: PageRequest,
): ChannelRows {
  const thread = isThreadPage(page) ? page : null
  const root = thread?.root.id ?? null
  const base = limitToPageRev(rows, page.rev, page.epoch)
  const loaded = timelineOf(base, root) ?? EMPTY_TIMELINE
  // A page may have been read before retention raised the start.
  const start = lowestNumber(base.entry, root)
  const numbered = ascending(page.messages, root).filter(({ number }) => number >= start)
  const numbers = numbered.map(({ number }) => number)
  const isNewest = request.before === undefined && request.after === undefined && request.around === undefined
  const range = pageRange(numbers, request, isNewest ? lowestNumber(base.entry, root) : null)
  const timeline: TimelineRows = {
    windows: range ? addRange(loaded.windows, range) : loaded.windows,
    byNumber: new Map([
      ...loaded.byNumber,
      ...numbered.map(({ number, message }) => [number, message.id] as const),
    ]),
    first: page.has_before || !range ? loaded.first : range.from,
  }
  if (thread) {
    const threads = new Map(base.threads).set(thread.root.id, timeline)
    return raiseCounters(storeMessages({ ...base, threads }, [thread.root, ...page.messages]), page.rev)
  }
  const last = numbers.at(-1) ?? range?.to ?? 0
  const merged = raiseCounters(storeMessages({ ...base, ...timeline }, page.messages), page.rev, last)
  if (!range || page.has_after || page.rev < merged.entry.counters.rev) return merged
  return { ...merged, entry: { ...merged.entry, counters: { ...merged.entry.counters, last_seq: range.to } } }
}

function pageRange(numbers: number[], request: PageRequest, historyStart: number | null) {
  const from = numbers[0]
  const to = numbers.at(-1)
  if (from !== undefined && to !== undefined) {
    // Between the requested number and the page there are no messages.
    if (request.before !== undefined) return { from, to: Math.max(to, request.before - 1) }
    if (request.after !== undefined) return { from: Math.min(from, request.after + 1), to }
    return { from, to }
  }
  if (request.before !== undefined) return { from: request.before, to: request.before - 1 }
  if (request.after !== undefined) return { from: request.after + 1, to: request.after }
  return historyStart === null ? null : { from: historyStart, to: historyStart - 1 }
}

/** Stores fetched messages, unless a newer one is loaded; those in a window of the channel also by their seq. */
function storeMessages(rows: ChannelRows, incoming: readonly Message[]): ChannelRows {
  const messages = new Map(rows.messages)
  const byNumber = new Map(rows.byNumber)
  for (const message of incoming) {
    const loaded = messages.get(message.id)
    if (!loaded || loaded.rev <= message.rev) messages.set(message.id, message)
    if (message.seq !== null && rangeOf(rows.windows, message.seq)) byNumber.set(message.seq, message.id)
  }
  return { ...rows, messages, byNumber }
}

/** Replaces what is loaded by a part of it. What is evicted may have changed up to any rev received. */
export function evict(rows: ChannelRows, remaining: Partial<ChannelRows>): ChannelRows {
  return { ...rows, ...remaining, unloadedRev: Math.max(rows.unloadedRev, rows.rev, ...rows.aheadRevs) }
}

/** A number (or the newest loaded), and how many messages to keep before and after it. */
export interface RetainedRange {
  around: number | 'end'
  count: number
}

/**
 * Evicts the messages of a timeline that are in none of these ranges. `withThreads`: also all threads, which a channel
 * that is closed does not need.
 */
export function trimRows(
  rows: ChannelRows,
  root: Uuid | null,
  ranges: readonly RetainedRange[],
  withThreads: boolean,
): ChannelRows {
  const timeline = timelineOf(rows, root)
  if (!timeline) return rows
  let windows: readonly Range[] = []
  for (const { around, count } of ranges) {
    const window = loadedWindow(rows, root, around)
    if (!window) continue
    const centre = around === 'end' ? window.to : around
    const from = Math.max(window.from, centre - count)
    windows = addRange(windows, { from, to: Math.max(from - 1, Math.min(window.to, centre + count)) })
  }
  const isSame = (window: Range, at: number) =>
    window.from === windows[at]?.from && window.to === windows[at]?.to
  if (windows.length === timeline.windows.length && timeline.windows.every(isSame) && !withThreads)
    return rows
  const byNumber = new Map([...timeline.byNumber].filter(([number]) => rangeOf(windows, number)))
  const threads = withThreads ? new Map<Uuid, TimelineRows>() : new Map(rows.threads)
  if (root !== null) threads.set(root, { ...timeline, windows, byNumber })
  const channel = root === null ? { windows, byNumber } : { windows: rows.windows, byNumber: rows.byNumber }
  const ids = new Set([...channel.byNumber.values(), ...threads.keys()])
  for (const thread of threads.values()) for (const id of thread.byNumber.values()) ids.add(id)
  const messages = new Map([...rows.messages].filter(([id]) => ids.has(id)))
  return evict(rows, { ...channel, messages, threads })
}

/** The arguments of `channel_page` or `thread_page`; without any, the newest page. */
export interface PageRequest {
  before?: number
  after?: number
  around?: number
}
