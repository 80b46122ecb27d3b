import type { Bootstrap, OwnRows } from '../../../../wire/sync.ts'
import type { ThreadState } from '../../../../wire/threads.ts'
import type { Message } from '../../../../wire/messages.ts'
import type { ChannelEntry } from '../../../../wire/channels.ts'
import type { Uuid } from '../../../../wire/scalars.ts'
import { isShallowEqual } from '../../hooks/memoize.ts'
import { OWN_KINDS } from '../../store/ownKinds.ts'
import { byPosition } from '../../store/ownRows.ts'
import { readerOf } from '../../store/reader.ts'
import type { Reader } from '../../store/reader.ts'
import { unreadOf } from '../../store/unreadCounts.ts'
import type { Range } from '../../store/ranges.ts'
import { numberIn, timelineOf } from '../../store/state.ts'
import type { ChannelRows, State } from '../../store/state.ts'

/** Kinds of values that are compared. */
export type ComparedField =
  | keyof OwnRows
  | 'me'
  | 'workspace'
  | 'person'
  | 'sections'
  | 'membership'
  | 'channel'
  | 'counters'
  | 'readState'
  | 'unread'
  | 'mentions'
  | 'lastMessage'
  | 'thread'
  | 'message'

/** A value as it is displayed, and as the server has it. */
export interface Comparison {
  what: ComparedField
  /** Unique within its kind. */
  id: string
  channel: Uuid | null
  shown: unknown
  fetched: unknown
}

/** Whether two values from JSON are equal, whatever the order of their keys. */
export function isDeepEqual(a: unknown, b: unknown): boolean {
  return isShallowEqual(a, b, isDeepEqual)
}

/** Compares the loaded rows with a bootstrap. */
export function compareBootstrap(state: State, bootstrap: Bootstrap): Comparison[] {
  const compared: Comparison[] = []
  const add = (what: ComparedField, id: string, channel: Uuid | null, shown: unknown, fetched: unknown) =>
    compared.push({ what, id, channel, shown, fetched })
  add('me', '', null, state.me, bootstrap.me)
  add('workspace', '', null, state.workspace, bootstrap.workspace)
  add('sections', '', null, state.sections, byPosition(bootstrap.sections))
  for (const kind of OWN_KINDS) {
    const fetched = new Map<Uuid, unknown>((bootstrap.own[kind] ?? []).map((row) => [row.id, row]))
    for (const id of new Set([...state[kind].keys(), ...fetched.keys()])) {
      add(kind, id, null, state[kind].get(id) ?? null, fetched.get(id) ?? null)
    }
  }
  const members = new Map(bootstrap.members.map((one) => [one.profile.id, one]))
  for (const id of new Set([...state.members.keys(), ...members.keys()])) {
    add('person', id, null, state.members.get(id) ?? null, members.get(id) ?? null)
  }
  const entries = new Map(bootstrap.channels.map((entry) => [entry.channel.id, entry]))
  for (const [id, rows] of state.channels) {
    if (rows.entry.member && !entries.has(id)) add('membership', id, id, true, false)
  }
  for (const [id, entry] of entries) {
    const rows = state.channels.get(id)
    if (!rows) add('membership', id, id, false, true)
    else compared.push(...compareEntry(rows, entry, readerOf(state)))
  }
  return compared
}

function compareEntry(rows: ChannelRows, fetched: ChannelEntry, me: Reader): Comparison[] {
  const { entry } = rows
  const id = fetched.channel.id
  const when = (time: string | null) => (time === null ? null : Date.parse(time))
  const counts = unreadOf(rows, me, 0)
  const pairs: [ComparedField, unknown, unknown][] = [
    ['membership', entry.member, fetched.member],
    ['channel', channelFields(entry), channelFields(fetched)],
    ['counters', { ...entry.counters, change_id: 0 }, { ...fetched.counters, change_id: 0 }],
    ['readState', entry.state, fetched.state],
    ['unread', counts.unread, fetched.counts.unread],
    ['mentions', counts.mentions, fetched.counts.mentions],
    ['lastMessage', when(entry.last_message_at), when(fetched.last_message_at)],
  ]
  return pairs.map(([what, shown, received]) => ({ what, id, channel: id, shown, fetched: received }))
}

function channelFields({ channel, channel_role, history_from_seq }: ChannelEntry) {
  return { ...channel, channel_role, history_from_seq }
}

/** Compares the loaded thread states with the response to `thread_states`. */
export function compareThreads(
  loaded: readonly ThreadState[],
  received: readonly ThreadState[],
  requested: readonly Uuid[],
): Comparison[] {
  const fetched = new Map(received.map((one) => [one.root_id, one]))
  const shown = new Map(loaded.map((one) => [one.root_id, one]))
  // The channel's rev also rises without changes of the thread.
  const state = (one: ThreadState | undefined) => (one ? { ...one, rev: 0 } : null)
  return requested.map((root) => ({
    what: 'thread' as const,
    id: root,
    channel: (fetched.get(root) ?? shown.get(root))?.channel_id ?? null,
    shown: state(shown.get(root)),
    fetched: state(fetched.get(root)),
  }))
}

/** Compares the messages of a loaded range of a timeline with those fetched. */
export function compareRange(
  rows: ChannelRows,
  window: Range,
  root: Uuid | null,
  received: readonly Message[],
): Comparison[] {
  const fetched = new Map(received.map((message) => [numberIn(message, root), message]))
  const byNumber = timelineOf(rows, root)?.byNumber
  const compared: Comparison[] = []
  for (let number = window.from; number <= window.to; number += 1) {
    const shown = rows.messages.get(byNumber?.get(number) ?? '') ?? null
    const there = fetched.get(number) ?? null
    const id = (there ?? shown)?.id ?? `${rows.entry.channel.id} ${number}`
    if (shown || there) {
      compared.push({ what: 'message', id, channel: rows.entry.channel.id, shown, fetched: there })
    }
  }
  return compared
}
