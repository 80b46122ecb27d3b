import type { ChannelEntry, Member, Message, Section, ThreadState, Uuid } from '../../../wire/linnet.ts'
import type { Range } from '../store/ranges.ts'
import { rowsOf } from '../store/channelRows.ts'
import { emptyState } from '../store/state.ts'
import type { ChannelRows, State } from '../store/state.ts'

/** The workspace without its words. */
export interface KeptBase {
  me: State['me']
  workspace: State['workspace']
  workspaces: State['workspaces']
  members: Member[]
  entries: ChannelEntry[]
  threads: ThreadState[]
  sections: readonly Section[]
  topics: number
}

/** The newest words of one channel. */
export interface KeptWords {
  id: Uuid
  rev: number
  window: Range
  first: number | null
  messages: Message[]
  /** Characters of the messages as JSON: what bounds the cache. */
  size: number
  /** When the channel was in front last, by this device's clock in ms; 0: never. */
  usedAt: number
}

/** So many of the newest words of a channel are kept. */
const MESSAGES = 60
/** A channel of long messages is cut before it fills the cache. */
const CHANNEL_SIZE = 250_000

/** What was kept, as rows; null when nothing was, or nothing that can be read: then it is fetched as on a first visit. */
export function restoredState(kept: { base: KeptBase; words: KeptWords[] } | null): State | null {
  try {
    return kept && restored(kept)
  } catch {
    return null
  }
}

function restored(kept: { base: KeptBase; words: KeptWords[] }): State | null {
  if (!kept.base.me) return null
  const { base, words } = kept
  const channels = new Map<Uuid, ChannelRows>(base.entries.map((entry) => [entry.channel.id, rowsOf(entry)]))
  for (const one of words) {
    const rows = channels.get(one.id)
    if (!rows) continue
    channels.set(one.id, {
      ...rows,
      rev: one.rev,
      unheldRev: Math.max(rows.unheldRev, one.rev),
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
    threads: new Map(base.threads.map((thread) => [thread.root_id, thread])),
    sections: base.sections,
    topics: base.topics,
    source: 'cached',
  }
}

/** What is kept beside the words. */
export function baseOf(state: State): KeptBase {
  return {
    me: state.me,
    workspace: state.workspace,
    workspaces: state.workspaces,
    members: [...state.members.values()],
    entries: [...state.channels.values()].map((rows) => rows.entry),
    threads: [...state.threads.values()],
    sections: state.sections,
    topics: state.topics,
  }
}

/** What is kept of a channel's words, the newest that fit; null when none are held. */
export function wordsOf(rows: ChannelRows, usedAt = 0): KeptWords | null {
  const last = rows.windows.at(-1)
  if (!last) return null
  const messages: Message[] = []
  const lowest = Math.max(last.from, last.to - MESSAGES + 1)
  let from = last.to + 1
  let size = 0
  for (let seq = last.to; seq >= lowest; seq -= 1) {
    const message = rows.messages.get(rows.bySeq.get(seq) ?? '')
    const more = message ? JSON.stringify(message).length : 0
    if (size + more > CHANNEL_SIZE) break
    size += more
    from = seq
    if (message) messages.unshift(message)
  }
  const window = { from, to: last.to }
  const first = rows.first !== null && rows.first >= window.from ? rows.first : null
  return { id: rows.entry.channel.id, rev: rows.rev, window, first, messages, size, usedAt }
}
