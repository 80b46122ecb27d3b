import { isDeepStrictEqual } from 'node:util'
import { readerOf } from '../../../app/data/store/reader.ts'
import type { Reader } from '../../../app/data/store/reader.ts'
import { unreadOf } from '../../../app/data/store/unreadCounts.ts'
import type { ChannelRows } from '../../../app/data/store/state.ts'
import { hasAfter, hasBefore } from '../../../app/data/store/state.ts'
import type { ThreadState } from '../../../wire/threads.ts'
import type { Message } from '../../../wire/messages.ts'
import type { ChannelEntry } from '../../../wire/channels.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Tab } from '../types.ts'
import type { MessageRow } from '../database/tables.ts'
import type { ExpectedView } from './expectedView.ts'

/** Records a difference. */
type Report = (what: string, actual: unknown, expectedValue: unknown) => void

/** How the state of a tab differs from what is expected. */
export function compareTab(tab: Tab, expected: ExpectedView): string[] {
  const { label, store } = tab
  const found: string[] = []
  const report = createReporter(found, label)
  const state = store.get()
  const me = state.me && { profile: state.me.profile, role: state.me.role }
  report('me', me, expected.me)
  const byId = <T>(rows: readonly T[], id: (row: T) => Uuid) =>
    Object.fromEntries(rows.map((row) => [id(row), row]))
  report(
    'members',
    byId([...state.members.values()], (one) => one.profile.id),
    byId(expected.members, (one) => one.profile.id),
  )
  const belongs = [...state.channels.values()].filter((rows) => rows.entry.member)
  report(
    'channels',
    belongs.map((rows) => rows.entry.channel.id).sort(),
    expected.entries.map((entry) => entry.channel.id).sort(),
  )
  for (const [id, rows] of state.channels) {
    const expectedValue = expected.entryOf(id)
    if (expectedValue === null) report(`channel ${id}`, 'stored', 'not visible')
    else compareChannel(rows, expectedValue, expected, readerOf(state), report)
  }
  report('sections', state.sections, expected.sections)
  report('saved', Object.fromEntries(state.saved), expected.saved)
  report('responses', Object.fromEntries(state.responses), expected.responses)
  report('searches', Object.fromEntries(state.searches), expected.searches)
  report('scheduled', Object.fromEntries(state.scheduled), expected.scheduled)
  report('reminders', Object.fromEntries(state.reminders), expected.reminders)
  report('drafts', Object.fromEntries(state.drafts), expected.drafts)
  compareThreads([...state.threads.values()], expected, report)
  compareEnds(tab, expected, report)
  return found
}

/** Records differences under a heading, one line for each part. */
export function createReporter(found: string[], label: string): Report {
  return (what, actual, expectedValue) => {
    if (isDeepStrictEqual(actual, expectedValue)) return
    const lines: string[] = []
    list(actual, expectedValue, '', lines)
    found.push([`${label}: ${what}`, ...lines.slice(0, MAX_LINES)].join('\n    '))
  }
}

/** Differing parts of one object that are listed. */
const MAX_LINES = 6

function list(actual: unknown, expectedValue: unknown, path: string, lines: string[]) {
  const plain = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null
  if (isDeepStrictEqual(actual, expectedValue)) return
  if (!plain(actual) || !plain(expectedValue)) {
    lines.push(`${path ? `${path}: ` : ''}is ${short(actual)}, expected ${short(expectedValue)}`)
    return
  }
  for (const key of new Set([...Object.keys(actual), ...Object.keys(expectedValue)])) {
    list(actual[key], expectedValue[key], path ? `${path}.${key}` : key, lines)
  }
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

function compareChannel(
  rows: ChannelRows,
  expectedValue: ChannelEntry,
  expected: ExpectedView,
  me: Reader,
  report: Report,
) {
  const { entry } = rows
  const at = `${expectedValue.channel.name ?? expectedValue.channel.kind} `
  report(`${at}channel`, entry.channel, expectedValue.channel)
  report(
    `${at}membership`,
    [entry.channel_role, entry.member],
    [expectedValue.channel_role, expectedValue.member],
  )
  report(`${at}history start`, entry.history_from_seq, expectedValue.history_from_seq)
  // Only a response contains the id of a change that an event announced.
  const { change_id: id = expectedValue.counters.change_id } = entry.counters
  report(`${at}counters`, { ...entry.counters, change_id: id }, expectedValue.counters)
  report(`${at}state`, entry.state, expectedValue.state)
  report(`${at}unread`, unreadOf(rows, me, 0), expectedValue.counts)
  const when = (time: string | null) => (time === null ? null : Date.parse(time))
  // It sorts the reader's own list; other channels get no events about it.
  if (expectedValue.member)
    report(`${at}last message`, when(entry.last_message_at), when(expectedValue.last_message_at))

  const timeline = expected.timeline(expectedValue.channel.id)
  for (const window of rows.windows) {
    const there = timeline.filter(({ seq }) => seq !== null && window.from <= seq && seq <= window.to)
    compareWindow(`${at}${window.from}–${window.to}`, rows, rows.byNumber, 'seq', there, window, report)
    const seqs = timeline.map((one) => one.seq ?? 0)
    report(
      `${at}has before ${window.from}`,
      hasBefore(rows, null, window),
      (seqs[0] ?? Infinity) < window.from,
    )
    report(`${at}has after ${window.to}`, hasAfter(rows, null, window), (seqs.at(-1) ?? 0) > window.to)
  }
  for (const [root, thread] of rows.threads) {
    const replies = expected.replies(root)
    report(`${at}root`, rows.messages.get(root) ?? null, expected.message(root))
    for (const window of thread.windows) {
      const there = replies.filter((one) => window.from <= one.thread_seq! && one.thread_seq! <= window.to)
      compareWindow(`${at}thread`, rows, thread.byNumber, 'thread_seq', there, window, report)
    }
  }
  // Every stored message is visible to this person and up to date.
  for (const [id, message] of rows.messages) report(`${at}message`, message, expected.message(id))
}

/** A list at its end shows the newest message without a request; a page that failed can be loaded again. */
function compareEnds({ store, views, opened, thread }: Tab, expected: ExpectedView, report: Report) {
  const rowsOf = (id: Uuid | undefined) => (id === undefined ? undefined : store.get().channels.get(id))
  const rows = rowsOf(opened?.channel)
  const window = rows?.windows.at(-1)
  if (opened && rows && window && isAtEnd(views.get({ channel: opened.channel, root: null }))) {
    const newest = expected.timeline(opened.channel).at(-1)?.seq ?? window.from - 1
    report(`end of ${rows.entry.channel.name ?? rows.entry.channel.kind}`, window.to, newest)
  }
  const replies = thread && rowsOf(thread.channel)?.threads.get(thread.root)?.windows.at(-1)
  if (thread && replies && isAtEnd(views.get(thread))) {
    report(`end of thread ${thread.root}`, replies.to, expected.replies(thread.root).at(-1)?.thread_seq ?? 0)
  }
}

function isAtEnd({ anchor, failure }: { anchor: number | 'end'; failure: unknown }): boolean {
  return anchor === 'end' && failure === null
}

function compareWindow(
  at: string,
  rows: ChannelRows,
  index: ReadonlyMap<number, Uuid>,
  number: 'seq' | 'thread_seq',
  there: MessageRow[],
  window: { from: number; to: number },
  report: Report,
) {
  const actual: Message[] = []
  for (let at = window.from; at <= window.to; at += 1) {
    const message = rows.messages.get(index.get(at) ?? '')
    if (message) actual.push(message)
  }
  const numbers = (all: readonly (Message | MessageRow)[]) => all.map((one) => `${one[number]} ${one.id}`)
  report(`${at} numbers`, numbers(actual), numbers(there))
}

function compareThreads(actual: ThreadState[], expected: ExpectedView, report: Report) {
  for (const { rev: _, ...thread } of actual) {
    report(`state of thread ${thread.root_id}`, thread, expected.thread(thread.root_id))
  }
  const waiting = actual.filter((one) => one.follows && one.counts.unread > 0)
  report(
    'unread threads',
    waiting.map((one) => one.root_id).sort(),
    expected.unreadThreads.map((one) => one.root_id).sort(),
  )
}
