import type { Bootstrap, ChannelEntry, Message, ThreadState, Uuid } from '../../../../wire/linnet.ts'
import { showsSame } from '../../hooks/memoize.ts'
import { unreadOf } from '../../store/unreadCounts.ts'
import type { Range } from '../../store/ranges.ts'
import type { ChannelRows, State } from '../../store/state.ts'

/** What can be shown otherwise than the server has it. */
export type Compared =
  | 'me'
  | 'workspace'
  | 'person'
  | 'sections'
  | 'belonging'
  | 'channel'
  | 'numbers'
  | 'pointer'
  | 'unread'
  | 'mentions'
  | 'lastMessage'
  | 'thread'
  | 'message'

/** One thing compared; `shown` and `fresh` are the same where nothing is wrong. */
export interface Comparison {
  what: Compared
  /** Tells it from the others of its kind. */
  id: string
  channel: Uuid | null
  shown: unknown
  fresh: unknown
}

/** Whether two values from JSON say the same, whatever the order of their keys. */
export function saysSame(a: unknown, b: unknown): boolean {
  return showsSame(a, b, saysSame)
}

/** All that a bootstrap tells, beside what is held. */
export function compareBootstrap(state: State, answer: Bootstrap): Comparison[] {
  const me = state.me?.profile.id ?? null
  const compared: Comparison[] = []
  const add = (what: Compared, id: string, channel: Uuid | null, shown: unknown, fresh: unknown) =>
    compared.push({ what, id, channel, shown, fresh })
  add('me', '', null, state.me, answer.me)
  add('workspace', '', null, state.workspace, answer.workspace)
  add('sections', '', null, state.sections, byPosition(answer.sections))
  const members = new Map(answer.members.map((one) => [one.profile.id, one]))
  for (const id of new Set([...state.members.keys(), ...members.keys()])) {
    add('person', id, null, state.members.get(id) ?? null, members.get(id) ?? null)
  }
  const entries = new Map(answer.channels.map((entry) => [entry.channel.id, entry]))
  for (const [id, rows] of state.channels) {
    if (rows.entry.member && !entries.has(id)) add('belonging', id, id, true, false)
  }
  for (const [id, entry] of entries) {
    const rows = state.channels.get(id)
    if (!rows) add('belonging', id, id, false, true)
    else compared.push(...compareEntry(rows, entry, me))
  }
  return compared
}

function byPosition(sections: Bootstrap['sections']) {
  return [...sections].sort((a, b) => a.position - b.position || a.id.localeCompare(b.id))
}

function compareEntry(rows: ChannelRows, fresh: ChannelEntry, me: Uuid | null): Comparison[] {
  const { entry } = rows
  const id = fresh.channel.id
  const when = (time: string | null) => (time === null ? null : Date.parse(time))
  const counts = unreadOf(rows, me, 0)
  const pairs: [Compared, unknown, unknown][] = [
    ['belonging', entry.member, fresh.member],
    ['channel', aboutOf(entry), aboutOf(fresh)],
    ['numbers', entry.counters, fresh.counters],
    ['pointer', entry.state, fresh.state],
    ['unread', counts.unread, fresh.counts.unread],
    ['mentions', counts.mentions, fresh.counts.mentions],
    ['lastMessage', when(entry.last_message_at), when(fresh.last_message_at)],
  ]
  return pairs.map(([what, shown, given]) => ({ what, id, channel: id, shown, fresh: given }))
}

function aboutOf({ channel, channel_role, history_from_seq }: ChannelEntry) {
  return { ...channel, channel_role, history_from_seq }
}

/** One's places in threads: those held, beside the answer to `thread_states` for them. */
export function compareThreads(
  held: readonly ThreadState[],
  given: readonly ThreadState[],
  asked: readonly Uuid[],
): Comparison[] {
  const fresh = new Map(given.map((one) => [one.root_id, one]))
  const shown = new Map(held.map((one) => [one.root_id, one]))
  // The channel's rev moves without the thread.
  const place = (one: ThreadState | undefined) => (one ? { ...one, rev: 0 } : null)
  return asked.map((root) => ({
    what: 'thread' as const,
    id: root,
    channel: (fresh.get(root) ?? shown.get(root))?.channel_id ?? null,
    shown: place(shown.get(root)),
    fresh: place(fresh.get(root)),
  }))
}

/** The messages of a held stretch, by their numbers, beside those fetched anew. */
export function compareStretch(
  rows: ChannelRows,
  window: Range,
  index: ReadonlyMap<number, Uuid>,
  numberOf: (message: Message) => number | null,
  given: readonly Message[],
): Comparison[] {
  const fresh = new Map(given.map((message) => [numberOf(message), message]))
  const compared: Comparison[] = []
  for (let number = window.from; number <= window.to; number += 1) {
    const shown = rows.messages.get(index.get(number) ?? '') ?? null
    const there = fresh.get(number) ?? null
    const id = (there ?? shown)?.id ?? `${rows.entry.channel.id} ${number}`
    if (shown || there) {
      compared.push({ what: 'message', id, channel: rows.entry.channel.id, shown, fresh: there })
    }
  }
  return compared
}
