import type { ChannelEntry, UnreadCounts, ChannelMemberState } from '../../../wire/channels.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { isRolledBack } from './requestSnapshot.ts'
import type { RequestSnapshot } from './requestSnapshot.ts'
import { raiseCounters, evict, changesOf, createChannelRows } from './channelRows.ts'
import { historyStart, hasLoadedMessages } from './state.ts'
import type { ChannelRows, State } from './state.ts'
import { filterThreads } from './threadStates.ts'

/** Raises the epoch, which never falls. */
export function withEpoch(rows: ChannelRows, epoch: number): ChannelRows {
  const counters = rows.entry.counters
  if (epoch <= counters.epoch) return rows
  return { ...rows, entry: { ...rows.entry, counters: { ...counters, epoch } } }
}

/**
 * Merges the entry of a response into the stored one. Events may have overtaken the response: what is older in it than what
 * is stored has no effect. `stateRevBefore`: the `rev` of the state that was stored when the request was sent.
 */
export function mergeEntry(rows: ChannelRows, given: ChannelEntry, stateRevBefore = 0): ChannelRows {
  const known = rows.entry
  const newer = given.counters.meta_rev >= known.counters.meta_rev
  const counters = {
    last_seq: Math.max(known.counters.last_seq, given.counters.last_seq),
    rev: Math.max(known.counters.rev, given.counters.rev),
    meta_rev: Math.max(known.counters.meta_rev, given.counters.meta_rev),
    epoch: Math.max(known.counters.epoch, given.counters.epoch),
    change_id: (given.counters.rev < known.counters.rev ? known : given).counters.change_id,
  }
  const entry = { ...(newer ? given : known), counters, state: known.state, counts: known.counts }
  const merged = applyHistoryStart({ ...rows, entry }, known)
  const settled = raiseCounters(mergeEntryState(merged, given, newer, stateRevBefore), counters.rev)
  return withLastMessageAt(confirmChanges(settled, known), given.last_message_at)
}

/**
 * The rows after an entry gave its change an id: without loaded messages they begin with it. Messages whose last change is
 * known by its number only may be of another history; they count as behind, so that the server confirms them.
 */
function confirmChanges(rows: ChannelRows, before: ChannelEntry): ChannelRows {
  const { rev, change_id: id } = rows.entry.counters
  if (id === undefined) return rows
  if (!hasLoadedMessages(rows)) return { ...rows, knownChanges: changesOf(rows.entry) }
  const last = rows.knownChanges.at(-1)
  const isUnconfirmed = before.counters.rev === rev && before.counters.change_id === undefined
  if (!last || !isUnconfirmed || last[0] >= rows.rev) return rows
  return { ...rows, rev: last[0], aheadRevs: [] }
}

/** Merges the reader's state, which only members have: after leaving a channel that they still read, it starts anew. */
function mergeEntryState(
  rows: ChannelRows,
  given: ChannelEntry,
  newer: boolean,
  stateRevBefore: number,
): ChannelRows {
  if (rows.entry.member) return withState(rows, given.state, given.counts, given.counters.rev, stateRevBefore)
  if (!newer) return rows
  return { ...rows, entry: { ...rows.entry, state: given.state, counts: given.counts } }
}

/**
 * The channel on a server that was restored from a backup and has older data. The server's entry replaces ours;
 * messages stay on the screen, with the lowest revs, until those that replace them have been fetched.
 */
export function replaceAfterRestore(rows: ChannelRows, given: ChannelEntry): ChannelRows {
  const empty = createChannelRows(given)
  if (!hasLoadedMessages(rows)) return empty
  const { messages, byNumber, windows, first, threads } = rows
  return { ...empty, rev: NO_REV, messages, byNumber, windows, first, threads }
}

/** Below the rev of any channel: the response to it contains everything. */
export const NO_REV = -1

/** Raises the time of the newest message, which never falls. */
export function withLastMessageAt(rows: ChannelRows, at: string | null): ChannelRows {
  const known = rows.entry.last_message_at
  if (at === null || at === known || (known !== null && Date.parse(known) > Date.parse(at))) return rows
  return { ...rows, entry: { ...rows.entry, last_message_at: at } }
}

/**
 * The user's read marker and preferences. `rev` is the channel's rev when the counts were made, null if unknown. A state with a
 * lower `rev` was overtaken by a later change, unless the number is below `stateRevBefore`, which was known when the request was
 * sent: the server was restored from a backup.
 */
export function withState(
  rows: ChannelRows,
  given: ChannelMemberState,
  counts: UnreadCounts,
  rev: number | null,
  stateRevBefore = 0,
): ChannelRows {
  const known = rows.entry.state
  // An older response or event, or one from before the user left.
  const overtaken = given.rev < known.rev && given.rev >= stateRevBefore
  if (overtaken || !rows.entry.member) return rows
  const moved = given.read_version !== known.read_version
  if (!moved && rev !== null && rev < rows.countsRev) {
    return { ...rows, entry: { ...rows.entry, state: given } }
  }
  const entry = { ...rows.entry, state: given, counts }
  return { ...rows, entry, countsRev: rev === null ? rows.countsRev : Math.max(rev, rows.countsRev) }
}

/** After a change of the history start: evicts messages below it; messages above a lower one can be fetched. */
export function applyHistoryStart(rows: ChannelRows, before: ChannelEntry): ChannelRows {
  const start = historyStart(rows.entry)
  if (start === historyStart(before)) return rows
  const windows = rows.windows.flatMap((window) =>
    window.to < start ? [] : [{ from: Math.max(window.from, start), to: window.to }],
  )
  const byNumber = new Map([...rows.byNumber].filter(([seq]) => seq >= start))
  const messages = new Map([...rows.messages].filter(([, message]) => message.history_seq >= start))
  const threads = new Map([...rows.threads].filter(([root]) => messages.has(root)))
  return evict(rows, { windows, byNumber, messages, threads, first: null })
}

/** Changes the rows of one channel; the same state if they are unchanged. */
export function withChannelRows(
  state: State,
  channelId: Uuid,
  update: (rows: ChannelRows) => ChannelRows,
): State {
  const rows = state.channels.get(channelId)
  if (!rows) return state
  const changed = update(rows)
  if (changed === rows) return state
  return { ...state, channels: new Map(state.channels).set(channelId, changed) }
}

/** Merges an entry into the state. */
export function withChannelEntry(state: State, given: ChannelEntry, snapshot?: RequestSnapshot): State {
  const rows = state.channels.get(given.channel.id)
  if (!rows)
    return { ...state, channels: new Map(state.channels).set(given.channel.id, createChannelRows(given)) }
  const before = snapshot?.channels.get(given.channel.id)
  if (isRolledBack(snapshot, given)) {
    const others = filterThreads(state, (channelId) => channelId !== given.channel.id)
    return withChannelRows(others, given.channel.id, () => replaceAfterRestore(rows, given))
  }
  return withChannelRows(state, given.channel.id, () => mergeEntry(rows, given, before?.stateRev))
}

/** Removes a channel with its messages and threads. */
export function withoutChannel(state: State, channelId: Uuid): State {
  if (!state.channels.has(channelId)) return state
  const channels = new Map(state.channels)
  channels.delete(channelId)
  return filterThreads({ ...state, channels }, (of) => of !== channelId)
}
