import type { Uuid } from '../../wire/linnet.ts'
import type { Device, KeptBase, KeptWords } from './device.ts'
import { rowsOf } from './sync/rows.ts'
import { emptyState } from './sync/state.ts'
import type { ChannelRows, State } from './sync/state.ts'
import type { Store } from './sync/store.ts'

/** The newest words of so many channels stay readable offline. */
const CHANNELS = 20
const MESSAGES = 60
/** Milliseconds that changes are gathered before they are written. */
const PAUSE = 1_500

/** What was kept, as rows; null when nothing was. */
export function restoredState(kept: { base: KeptBase; words: KeptWords[] } | null): State | null {
  if (!kept?.base.me) return null
  const { base, words } = kept
  const channels = new Map<Uuid, ChannelRows>(base.entries.map((entry) => [entry.channel.id, rowsOf(entry)]))
  for (const one of words) {
    const rows = channels.get(one.id)
    if (!rows) continue
    channels.set(one.id, {
      ...rows,
      rev: one.rev,
      windows: [one.window],
      first: one.first,
      messages: new Map(one.messages.map((message) => [message.id, message])),
      bySeq: new Map(
        one.messages.flatMap((message) => (message.seq === null ? [] : [[message.seq, message.id]])),
      ),
    })
  }
  return {
    ...emptyState,
    me: base.me,
    workspace: base.workspace,
    workspaces: base.workspaces,
    members: new Map(base.members.map((member) => [member.profile.id, member])),
    channels,
    topics: base.topics,
    source: 'cached',
  }
}

function baseOf(state: State): KeptBase {
  return {
    me: state.me,
    workspace: state.workspace,
    workspaces: state.workspaces,
    members: [...state.members.values()],
    entries: [...state.channels.values()].map((rows) => rows.entry),
    topics: state.topics,
  }
}

function wordsOf(rows: ChannelRows): KeptWords | null {
  const last = rows.windows.at(-1)
  if (!last) return null
  const window = { from: Math.max(last.from, last.to - MESSAGES + 1), to: last.to }
  const messages = []
  for (let seq = window.from; seq <= window.to; seq += 1) {
    const message = rows.messages.get(rows.bySeq.get(seq) ?? '')
    if (message) messages.push(message)
  }
  const first = rows.first !== null && rows.first >= window.from ? rows.first : null
  return { id: rows.entry.channel.id, rev: rows.rev, window, first, messages }
}

export interface Keeper {
  /** Writes at once what has changed: the page hides. */
  flush: () => void
  stop: () => void
}

/**
 * Writes the rows to the device behind the reader's back, gathered, the newest words of a few channels.
 * `before`: the channels of which an earlier visit kept words.
 */
export function keepWords(store: Store, device: Device, before: readonly Uuid[]): Keeper {
  const written = new Map<Uuid, ChannelRows | null>(before.map((id) => [id, null]))
  let timer: ReturnType<typeof setTimeout> | null = null
  let last: State | null = null

  async function write() {
    timer = null
    const state = store.get()
    if (state === last || state.source !== 'live') return
    last = state
    const held = [...state.channels.values()].filter((rows) => rows.windows.length > 0)
    held.sort((a, b) => (b.entry.last_message_at ?? '').localeCompare(a.entry.last_message_at ?? ''))
    const kept = new Map(held.slice(0, CHANNELS).map((rows) => [rows.entry.channel.id, rows]))
    const words = [...kept.values()].flatMap((rows) => {
      if (written.get(rows.entry.channel.id) === rows) return []
      return wordsOf(rows) ?? []
    })
    // Those that may not be seen any more leave this device too.
    const unread = (id: Uuid) => state.channels.has(id) && written.get(id) === null
    const dropped = [...written.keys()].filter((id) => !kept.has(id) && !unread(id))
    for (const id of dropped) written.delete(id)
    for (const [id, rows] of kept) written.set(id, rows)
    // A full disk costs the offline copy, nothing else.
    await device.keep(baseOf(state), words, dropped).catch(() => {})
  }

  const unsubscribe = store.subscribe(() => {
    timer ??= setTimeout(() => void write(), PAUSE)
  })
  return {
    flush: () => {
      if (timer) clearTimeout(timer)
      void write()
    },
    stop: () => {
      unsubscribe()
      if (timer) clearTimeout(timer)
    },
  }
}
