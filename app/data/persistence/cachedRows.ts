import type { Digests, OwnRows } from '../../../wire/sync.ts'
import type { ThreadState } from '../../../wire/threads.ts'
import type { KnownChange, Message } from '../../../wire/messages.ts'
import type { ChannelEntry, Section } from '../../../wire/channels.ts'
import type { Member } from '../../../wire/people.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Range } from '../store/ranges.ts'
import { createChannelRows } from '../store/channelRows.ts'
import { currentDigests } from '../store/digests.ts'
import { OWN_KINDS, ownRowsById } from '../store/ownKinds.ts'
import { emptyState } from '../store/state.ts'
import type { ChannelRows, State } from '../store/state.ts'

/** The workspace without its messages. Kinds of own rows are absent where an earlier version stored it. */
export interface CachedWorkspace extends Partial<OwnRows> {
  me: State['me']
  workspace: State['workspace']
  workspaces: State['workspaces']
  members: Member[]
  /** These are absent where an earlier version stored it. */
  userGroups?: State['userGroups']
  customEmoji?: State['customEmoji']
  versions?: State['versions']
  entries: ChannelEntry[]
  threads: ThreadState[]
  sections: readonly Section[]
  maxTopics: number
  /** Of these rows; absent where an earlier version stored them. */
  digests?: Digests
}

/** The newest messages of one channel. */
export interface CachedMessages {
  id: Uuid
  rev: number
  window: Range
  first: number | null
  messages: Message[]
  /** See `ChannelRows`; absent where an earlier version stored the messages. */
  knownChanges?: readonly KnownChange[]
  /** Characters of the messages as JSON, which limit the cache. */
  size: number
  /** When the channel was last opened, by this device's clock in ms; 0: never. */
  usedAt: number
}

/** Number of the newest messages of a channel that are stored. */
const MAX_MESSAGES = 60
/** Maximum characters of one channel, so that long messages do not fill the cache. */
const MAX_CHANNEL_SIZE = 250_000

/** The stored rows; null if there are none, or they can't be read: then everything is fetched as on a first visit. */
export function restoreState(
  cached: { workspace: CachedWorkspace; messages: CachedMessages[] } | null,
): State | null {
  try {
    return cached && toState(cached)
  } catch {
    return null
  }
}

function toState(cached: { workspace: CachedWorkspace; messages: CachedMessages[] }): State | null {
  if (!cached.workspace.me) return null
  const { workspace, messages } = cached
  const channels = new Map<Uuid, ChannelRows>(
    workspace.entries.map((entry) => [entry.channel.id, createChannelRows(entry)]),
  )
  for (const one of messages) {
    const rows = channels.get(one.id)
    if (!rows) continue
    channels.set(one.id, {
      ...rows,
      rev: one.rev,
      knownChanges: one.knownChanges ?? [],
      unloadedRev: Math.max(rows.unloadedRev, one.rev),
      windows: [one.window],
      first: one.first,
      messages: new Map(one.messages.map((message) => [message.id, message])),
      byNumber: new Map(
        one.messages.flatMap((message) => (message.seq === null ? [] : [[message.seq, message.id]])),
      ),
    })
  }
  return {
    ...emptyState,
    me: workspace.me,
    workspace: workspace.workspace,
    workspaces: workspace.workspaces,
    members: new Map(workspace.members.map((member) => [member.profile.id, member])),
    userGroups: workspace.userGroups ?? null,
    customEmoji: workspace.customEmoji ?? null,
    versions: workspace.versions ?? {},
    channels,
    threads: new Map(workspace.threads.map((thread) => [thread.root_id, thread])),
    sections: workspace.sections,
    ...ownRowsById(workspace),
    maxTopics: workspace.maxTopics,
    digests: knownDigests(workspace),
    source: 'cached',
  }
}

/** Without the digests of people whose numbers an earlier version did not store, so that they are fetched again. */
function knownDigests({ me, members, digests = {} }: CachedWorkspace): Digests {
  if (me?.role === 'guest' || members.every(({ number }) => number !== undefined)) return digests
  const { people: _, ...others } = digests
  return others
}

/** The members of a map as a list, which is the same list until the map changes. */
const listedMembers = new WeakMap<State['members'], Member[]>()

function listMembers(members: State['members']): Member[] {
  const list = listedMembers.get(members) ?? [...members.values()]
  listedMembers.set(members, list)
  return list
}

/** The workspace to store, without messages. */
export function toCachedWorkspace(state: State): CachedWorkspace {
  // Who is present is not stored.
  const { presence: _, ...digests } = currentDigests(state)
  return {
    me: state.me,
    workspace: state.workspace,
    workspaces: state.workspaces,
    members: listMembers(state.members),
    userGroups: state.userGroups,
    customEmoji: state.customEmoji,
    versions: state.versions,
    entries: [...state.channels.values()].map((rows) => rows.entry),
    threads: [...state.threads.values()],
    sections: state.sections,
    ...Object.fromEntries(OWN_KINDS.map((kind) => [kind, [...state[kind].values()]])),
    maxTopics: state.maxTopics,
    digests,
  }
}

/** The newest messages of a channel that fit; null if none are loaded. */
export function toCachedMessages(rows: ChannelRows, usedAt = 0): CachedMessages | null {
  const last = rows.windows.at(-1)
  if (!last) return null
  const messages: Message[] = []
  const lowest = Math.max(last.from, last.to - MAX_MESSAGES + 1)
  let from = last.to + 1
  let size = 0
  for (let seq = last.to; seq >= lowest; seq -= 1) {
    const message = rows.messages.get(rows.byNumber.get(seq) ?? '')
    const more = message ? JSON.stringify(message).length : 0
    if (size + more > MAX_CHANNEL_SIZE) break
    size += more
    from = seq
    if (message) messages.unshift(message)
  }
  const window = { from, to: last.to }
  const first = rows.first !== null && rows.first >= window.from ? rows.first : null
  const { rev, knownChanges } = rows
  return { id: rows.entry.channel.id, rev, knownChanges, window, first, messages, size, usedAt }
}
