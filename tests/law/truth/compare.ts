import { isDeepStrictEqual } from 'node:util'
import { unreadOf } from '../../../app/data/store/unreadCounts.ts'
import type { ChannelRows } from '../../../app/data/store/state.ts'
import { hasAfter, hasBefore } from '../../../app/data/sync/channelViews.ts'
import type { ChannelEntry, Message, ThreadState, Uuid } from '../../../wire/linnet.ts'
import type { Actor } from '../actor.ts'
import type { MessageFact } from '../home/facts.ts'
import type { Truth } from './truth.ts'

/** Takes note of what is not as it should be. */
type Say = (what: string, held: unknown, fresh: unknown) => void

/** What a tab holds that is not the truth. */
export function differences(tab: Actor, truth: Truth): string[] {
  const { label, store } = tab
  const found: string[] = []
  const say = sayInto(found, label)
  const state = store.get()
  const me = state.me && { profile: state.me.profile, role: state.me.role }
  say('me', me, truth.me)
  const byId = <T>(rows: readonly T[], id: (row: T) => Uuid) =>
    Object.fromEntries(rows.map((row) => [id(row), row]))
  say(
    'members',
    byId([...state.members.values()], (one) => one.profile.id),
    byId(truth.members, (one) => one.profile.id),
  )
  const belongs = [...state.channels.values()].filter((rows) => rows.entry.member)
  say(
    'channels',
    belongs.map((rows) => rows.entry.channel.id).sort(),
    truth.entries.map((entry) => entry.channel.id).sort(),
  )
  for (const [id, rows] of state.channels) {
    const fresh = truth.entryOf(id)
    if (fresh === null) say(`channel ${id}`, 'held', 'not to be seen')
    else compareChannel(rows, fresh, truth, state.me?.profile.id ?? null, say)
  }
  say('sections', state.sections, truth.sections)
  compareThreads([...state.threads.values()], truth, say)
  compareEnds(tab, truth, say)
  return found
}

/** Notes what differs under a heading, a line for each part. */
export function sayInto(found: string[], label: string): Say {
  return (what, held, fresh) => {
    if (isDeepStrictEqual(held, fresh)) return
    const lines: string[] = []
    list(held, fresh, '', lines)
    found.push([`${label}: ${what}`, ...lines.slice(0, PARTS)].join('\n    '))
  }
}

/** So many parts of one thing that differ are listed. */
const PARTS = 6

function list(held: unknown, fresh: unknown, path: string, lines: string[]) {
  const plain = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null
  if (isDeepStrictEqual(held, fresh)) return
  if (!plain(held) || !plain(fresh)) {
    lines.push(`${path ? `${path}: ` : ''}held ${short(held)}, true ${short(fresh)}`)
    return
  }
  for (const key of new Set([...Object.keys(held), ...Object.keys(fresh)])) {
    list(held[key], fresh[key], path ? `${path}.${key}` : key, lines)
  }
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

function compareChannel(rows: ChannelRows, fresh: ChannelEntry, truth: Truth, me: Uuid | null, say: Say) {
  const { entry } = rows
  const at = `${fresh.channel.name ?? fresh.channel.kind} `
  say(`${at}channel`, entry.channel, fresh.channel)
  say(`${at}place`, [entry.channel_role, entry.member], [fresh.channel_role, fresh.member])
  say(`${at}floor`, entry.history_from_seq, fresh.history_from_seq)
  say(`${at}counters`, entry.counters, fresh.counters)
  say(`${at}state`, entry.state, fresh.state)
  say(`${at}unread`, unreadOf(rows, me, 0), fresh.counts)
  const when = (time: string | null) => (time === null ? null : Date.parse(time))
  // By it one's own list is sorted; nothing tells of it where one only looks in.
  if (fresh.member) say(`${at}last message`, when(entry.last_message_at), when(fresh.last_message_at))

  const timeline = truth.timeline(fresh.channel.id)
  for (const window of rows.windows) {
    const there = timeline.filter(({ seq }) => seq !== null && window.from <= seq && seq <= window.to)
    compareStretch(`${at}${window.from}–${window.to}`, rows, rows.bySeq, 'seq', there, window, say)
    const seqs = timeline.map((one) => one.seq ?? 0)
    say(`${at}has before ${window.from}`, hasBefore(rows, window), (seqs[0] ?? Infinity) < window.from)
    say(`${at}has after ${window.to}`, hasAfter(rows, window), (seqs.at(-1) ?? 0) > window.to)
  }
  for (const [root, thread] of rows.threads) {
    const replies = truth.replies(root)
    say(`${at}root`, rows.messages.get(root) ?? null, truth.message(root))
    for (const window of thread.windows) {
      const there = replies.filter((one) => window.from <= one.thread_seq! && one.thread_seq! <= window.to)
      compareStretch(`${at}thread`, rows, thread.byNumber, 'thread_seq', there, window, say)
    }
  }
  // Whatever is held is for this person's eyes, and is as it stands.
  for (const [id, message] of rows.messages) say(`${at}message`, message, truth.message(id))
}

/** Whoever looks at the end sees the newest, without asking for it; a page that was refused can be asked for again. */
function compareEnds({ store, views, threads, opened, thread }: Actor, truth: Truth, say: Say) {
  const rowsOf = (id: Uuid | undefined) => (id === undefined ? undefined : store.get().channels.get(id))
  const rows = rowsOf(opened?.channel)
  const window = rows?.windows.at(-1)
  if (opened && rows && window && isAtEnd(views.get(opened.channel))) {
    const newest = truth.timeline(opened.channel).at(-1)?.seq ?? window.from - 1
    say(`end of ${rows.entry.channel.name ?? rows.entry.channel.kind}`, window.to, newest)
  }
  const replies = thread && rowsOf(thread.channel)?.threads.get(thread.root)?.windows.at(-1)
  if (thread && replies && isAtEnd(threads.get(thread.root))) {
    say(`end of thread ${thread.root}`, replies.to, truth.replies(thread.root).at(-1)?.thread_seq ?? 0)
  }
}

function isAtEnd({ anchor, failure }: { anchor: number | 'end'; failure: unknown }): boolean {
  return anchor === 'end' && failure === null
}

function compareStretch(
  at: string,
  rows: ChannelRows,
  index: ReadonlyMap<number, Uuid>,
  number: 'seq' | 'thread_seq',
  there: MessageFact[],
  window: { from: number; to: number },
  say: Say,
) {
  const held: Message[] = []
  for (let at = window.from; at <= window.to; at += 1) {
    const message = rows.messages.get(index.get(at) ?? '')
    if (message) held.push(message)
  }
  const numbers = (all: readonly (Message | MessageFact)[]) => all.map((one) => `${one[number]} ${one.id}`)
  say(`${at} numbers`, numbers(held), numbers(there))
}

function compareThreads(held: ThreadState[], truth: Truth, say: Say) {
  for (const { rev: _, ...thread } of held) {
    say(`place in thread ${thread.root_id}`, thread, truth.thread(thread.root_id))
  }
  const waiting = held.filter((one) => one.follows && one.counts.unread > 0)
  say(
    'threads to be read',
    waiting.map((one) => one.root_id).sort(),
    truth.unreadThreads.map((one) => one.root_id).sort(),
  )
}
