import type {
  ChangedReaction,
  ChannelEntry,
  ChannelEvent,
  ChannelPage,
  Message,
  Reaction,
  ThreadPage,
  Uuid,
} from '../../../wire/linnet.ts'
import type { PageAsked } from './syncEvents.ts'
import { addRange, rangeOf, touches } from './ranges.ts'
import type { Range } from './ranges.ts'
import { floorOf, holdsWords } from './state.ts'
import type { ChannelRows, ThreadRows } from './state.ts'

/** A channel of which nothing but its entry is held. */
export function rowsOf(entry: ChannelEntry): ChannelRows {
  return {
    entry,
    rev: entry.counters.rev,
    ahead: [],
    unheldRev: entry.counters.rev,
    messages: new Map(),
    bySeq: new Map(),
    windows: [],
    first: null,
    threads: new Map(),
    countsRev: entry.counters.rev,
  }
}

/** The same rows under counters that may only rise. Without words nothing can be stale. */
export function heard(rows: ChannelRows, rev: number, lastSeq = 0): ChannelRows {
  const counters = rows.entry.counters
  const head = Math.max(counters.rev, rev)
  const last = Math.max(counters.last_seq, lastSeq)
  const own = holdsWords(rows) ? rows.rev : head
  if (head === counters.rev && last === counters.last_seq && own === rows.rev) return rows
  const entry = { ...rows.entry, counters: { ...counters, rev: head, last_seq: last } }
  return { ...rows, entry, rev: own, ahead: own === rows.rev ? rows.ahead : [] }
}

/** Takes note that the change `rev` is in what is held. */
export function reached(rows: ChannelRows, rev: number): ChannelRows {
  if (rev <= rows.rev) return rows
  if (rev > rows.rev + 1) {
    if (rows.ahead.includes(rev)) return rows
    return { ...rows, ahead: [...rows.ahead, rev].slice(-AHEAD_KEPT) }
  }
  let own = rev
  while (rows.ahead.includes(own + 1)) own += 1
  return { ...rows, rev: own, ahead: rows.ahead.filter((one) => one > own) }
}

/** Beyond so many, a gap is filled by asking anyway. */
const AHEAD_KEPT = 64

/** Everything up to `to` is in what is held, provided that nothing before `after` was missing. */
export function reachedAll(rows: ChannelRows, after: number, to: number): ChannelRows {
  if (rows.rev < after || to <= rows.rev) return rows
  const settled = { ...rows, rev: to, ahead: rows.ahead.filter((rev) => rev > to) }
  return settled.ahead.includes(to + 1) ? reached(settled, to + 1) : settled
}

/**
 * Puts messages into what is held: those already held when newer, and those that touch a window's end.
 * The others are left out, for a window has no holes. `fetched` rows know the reader's own reactions.
 */
export function putMessages(
  rows: ChannelRows,
  given: readonly Message[],
  fetched: boolean,
  me: Uuid | null,
): ChannelRows {
  const messages = new Map(rows.messages)
  const bySeq = new Map(rows.bySeq)
  let windows = rows.windows
  const threads = new Map(rows.threads)
  let changed = false

  const put = (message: Message): boolean => {
    const held = messages.get(message.id)
    if (held && (fetched ? held.rev > message.rev : held.rev >= message.rev)) return false
    const row = fetched ? message : ownReactions(message, held, me)
    if (!row) return false
    messages.set(row.id, row)
    changed = true
    return true
  }

  const ascending = [...given].sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0))
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
  const replies = [...given].sort((a, b) => (a.thread_seq ?? 0) - (b.thread_seq ?? 0))
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
  const leftOut = given.filter(({ id }) => !messages.has(id)).map(({ rev }) => rev)
  const unheldRev = Math.max(rows.unheldRev, ...leftOut)
  if (!changed && unheldRev === rows.unheldRev) return rows
  return { ...rows, messages, bySeq, windows, threads, unheldRev }
}

/** Applies a change to the message that it follows; where that isn't held, the change is noted or has to be asked for. */
export function putChange(
  rows: ChannelRows,
  { message_id: id, rev, before, changes, reaction }: Changed,
  me: Uuid | null,
): ChannelRows {
  const known = heard(rows, rev)
  const held = known.messages.get(id)
  if (!held) return reached({ ...known, unheldRev: Math.max(known.unheldRev, rev) }, rev)
  if (held.rev < rev && held.rev !== before) return known
  if (held.rev >= rev) return reached(known, rev)
  const reactions = reaction ? withReaction(held.reactions, reaction, me) : held.reactions
  const messages = new Map(known.messages).set(id, { ...held, ...changes, rev, reactions })
  return reached({ ...known, messages }, rev)
}

type Changed = Extract<ChannelEvent, { event: 'changed' }>['payload']

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
export function isAwaited(rows: ChannelRows, message: Message): boolean {
  const end = rows.windows.at(-1)
  if (message.seq !== null && end && end.to >= rows.entry.counters.last_seq) return true
  const thread = message.thread_root === null ? undefined : rows.threads.get(message.thread_root)
  const root = message.thread_root === null ? undefined : rows.messages.get(message.thread_root)
  const last = thread?.windows.at(-1)
  return last !== undefined && root !== undefined && last.to >= root.last_thread_seq
}

/**
 * A broadcast is the same for everyone, so `mine` comes from what is held.
 * Null when it can't be known: then the change is asked for rather than guessed.
 */
function ownReactions(message: Message, held: Message | undefined, me: Uuid | null): Message | null {
  if (message.reactions.length === 0) return message
  const reactions: Reaction[] = []
  for (const reaction of message.reactions) {
    let mine: boolean
    if (reaction.count <= reaction.people.length) mine = me !== null && reaction.people.includes(me)
    else if (held) mine = held.reactions.some((one) => one.emoji === reaction.emoji && one.mine === true)
    else return null
    reactions.push({ ...reaction, mine })
  }
  return { ...message, reactions }
}

/** A page's own rev bounds what is held: an older page makes everything as old as itself until asked. */
function underRev(rows: ChannelRows, rev: number, epoch: number): ChannelRows {
  const own = holdsWords(rows) ? Math.min(rows.rev, rev) : rev
  const counters = {
    ...rows.entry.counters,
    rev: Math.max(rows.entry.counters.rev, rev),
    epoch: Math.max(rows.entry.counters.epoch, epoch),
  }
  // Revs taken ahead speak of what was held before this page came.
  const unheldRev = Math.max(rows.unheldRev, rev)
  return { ...rows, rev: own, ahead: [], unheldRev, entry: { ...rows.entry, counters } }
}

/** Lays a page of the timeline over what is held. */
export function putPage(rows: ChannelRows, page: ChannelPage, asked: PageAsked): ChannelRows {
  const base = underRev(rows, page.rev, page.epoch)
  const seqs = page.messages.flatMap((message) => (message.seq === null ? [] : [message.seq]))
  const newest = asked.before === undefined && asked.after === undefined && asked.around === undefined
  const range = rangeGiven(seqs, asked, newest ? floorOf(base.entry) : null)
  if (!range) return base
  const first = page.has_before ? base.first : range.from
  const last = page.messages.at(-1)?.seq ?? range.to
  const opened = { ...base, windows: addRange(base.windows, range), first }
  const known = heard(indexed(opened, page.messages), page.rev, last)
  if (page.has_after || page.rev < known.entry.counters.rev) return known
  return { ...known, entry: { ...known.entry, counters: { ...known.entry.counters, last_seq: range.to } } }
}

/** Lays a page of a thread, with its root, over what is held. */
export function putThread(rows: ChannelRows, page: ThreadPage, asked: PageAsked): ChannelRows {
  const base = underRev(rows, page.rev, page.epoch)
  const held: ThreadRows = base.threads.get(page.root.id) ?? { windows: [], byNumber: new Map(), first: null }
  const numbers = page.messages.flatMap((reply) => (reply.thread_seq === null ? [] : [reply.thread_seq]))
  const newest = asked.before === undefined && asked.after === undefined && asked.around === undefined
  const range = rangeGiven(numbers, asked, newest ? 1 : null)
  const byNumber = new Map(held.byNumber)
  for (const reply of page.messages) if (reply.thread_seq !== null) byNumber.set(reply.thread_seq, reply.id)
  const windows = range ? addRange(held.windows, range) : held.windows
  const first = page.has_before || !range ? held.first : range.from
  const threads = new Map(base.threads).set(page.root.id, { windows, byNumber, first })
  return heard(indexed({ ...base, threads }, [page.root, ...page.messages]), page.rev)
}

function rangeGiven(numbers: number[], asked: PageAsked, floor: number | null) {
  const from = numbers[0]
  const to = numbers.at(-1)
  if (from !== undefined && to !== undefined) {
    // The stretch between the asked number and the page is known to be empty.
    if (asked.before !== undefined) return { from, to: Math.max(to, asked.before - 1) }
    if (asked.after !== undefined) return { from: Math.min(from, asked.after + 1), to }
    return { from, to }
  }
  if (asked.before !== undefined) return { from: asked.before, to: asked.before - 1 }
  if (asked.after !== undefined) return { from: asked.after + 1, to: asked.after }
  return floor === null ? null : { from: floor, to: floor - 1 }
}

/** Stores fetched rows, newest winning, and finds each by its seq where a window covers it. */
function indexed(rows: ChannelRows, given: readonly Message[]): ChannelRows {
  const messages = new Map(rows.messages)
  const bySeq = new Map(rows.bySeq)
  for (const message of given) {
    const held = messages.get(message.id)
    if (!held || held.rev <= message.rev) messages.set(message.id, message)
    if (message.seq !== null && rangeOf(rows.windows, message.seq)) bySeq.set(message.seq, message.id)
  }
  return { ...rows, messages, bySeq }
}

/** The rows with less held: what is let go may have changed up to whatever was taken note of. */
export function letGo(rows: ChannelRows, kept: Partial<ChannelRows>): ChannelRows {
  return { ...rows, ...kept, unheldRev: Math.max(rows.unheldRev, rows.rev, ...rows.ahead) }
}

/** A seq (or the newest held), and how many messages on either side of it. */
export interface Stretch {
  around: number | 'end'
  keep: number
}

/** Lets go of what lies in none of these stretches. */
export function trimRows(
  rows: ChannelRows,
  stretches: readonly Stretch[],
  keepThreads: boolean,
): ChannelRows {
  const threads = keepThreads ? rows.threads : new Map<Uuid, ThreadRows>()
  let windows: readonly Range[] = []
  for (const { around, keep } of stretches) {
    const end = rows.windows.at(-1)
    const window = around === 'end' ? end : rangeOf(rows.windows, around)
    if (!window) continue
    const centre = around === 'end' ? window.to : around
    const from = Math.max(window.from, centre - keep)
    windows = addRange(windows, { from, to: Math.max(from - 1, Math.min(window.to, centre + keep)) })
  }
  const same = (window: Range, at: number) =>
    window.from === windows[at]?.from && window.to === windows[at]?.to
  if (windows.length === rows.windows.length && rows.windows.every(same) && keepThreads) return rows
  const bySeq = new Map([...rows.bySeq].filter(([seq]) => rangeOf(windows, seq)))
  const ids = new Set(bySeq.values())
  for (const [root, thread] of threads) {
    ids.add(root)
    for (const id of thread.byNumber.values()) ids.add(id)
  }
  const messages = new Map([...rows.messages].filter(([id]) => ids.has(id)))
  return letGo(rows, { windows, bySeq, messages, threads })
}
