import type {
  ChannelEntry,
  Member,
  Message,
  PeopleCounters,
  PresenceState,
  Profile,
  Section,
  ThreadState,
  Workspace,
  WorkspaceRole,
} from '../../../wire/linnet.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Range } from './ranges.ts'

/** A thread that was opened: which of its replies are loaded, by `thread_seq`. */
export interface ThreadRows {
  windows: readonly Range[]
  byNumber: ReadonlyMap<number, Uuid>
  /** The lowest readable number, once a page has shown it. */
  first: number | null
}

/** One channel and what of it is loaded. `entry.counters.rev` is the highest rev received. */
export interface ChannelRows {
  entry: ChannelEntry
  /** Everything held is at least as new as this rev: below the entry's, changes are missing. */
  rev: number
  /** Revs above `rev + 1` whose message was taken already; the numbers between are still coming. */
  aheadRevs: readonly number[]
  /**
   * What is not loaded may have changed up to this rev, and been taken note of: only what was true at it or later may
   * enter what is loaded, or a message would come in as it was before, with nobody to ask for its change again.
   */
  unloadedRev: number
  messages: ReadonlyMap<Uuid, Message>
  bySeq: ReadonlyMap<number, Uuid>
  windows: readonly Range[]
  /** The lowest readable seq, once a page has shown it. */
  first: number | null
  threads: ReadonlyMap<Uuid, ThreadRows>
  /** The rev of which the server's unread counts speak. */
  countsRev: number
}

/** A thread with replies that its state does not count: the state has to be fetched. */
export interface StaleThread {
  channelId: Uuid
  /** The highest number received. */
  last: number
}

/** All rows of one account in one workspace. Only `applyEvent` makes a new one. */
export interface State {
  me: { profile: Profile; role: WorkspaceRole; email: string | null } | null
  workspace: Workspace | null
  workspaces: readonly Workspace[]
  members: ReadonlyMap<Uuid, Member>
  channels: ReadonlyMap<Uuid, ChannelRows>
  presence: ReadonlyMap<Uuid, PresenceState>
  /** The last change of the people that is loaded, and the epoch of their topic; null: nothing of it is received. */
  peopleCounters: PeopleCounters | null
  /** The reader's thread state, by root: those followed and unread, and those looked at since. */
  threads: ReadonlyMap<Uuid, ThreadState>
  staleThreads: ReadonlyMap<Uuid, StaleThread>
  /** The user's sidebar sections, ascending by position. */
  sections: readonly Section[]
  /** How many topics may be subscribed to. */
  maxTopics: number
  /** `empty`: nothing known. `cached`: from this device. `live`: the server has answered. */
  source: 'empty' | 'cached' | 'live'
}

export const emptyState: State = {
  me: null,
  workspace: null,
  workspaces: [],
  members: new Map(),
  channels: new Map(),
  presence: new Map(),
  peopleCounters: null,
  threads: new Map(),
  staleThreads: new Map(),
  sections: [],
  maxTopics: 30,
  source: 'empty',
}

/** Whether any message of the channel is loaded, so that its changes matter. */
export function hasLoadedMessages(rows: ChannelRows): boolean {
  return rows.windows.length > 0 || rows.threads.size > 0
}

/** Whether changes are known to be missing. */
export function isBehind(rows: ChannelRows): boolean {
  return rows.rev < rows.entry.counters.rev
}

/** The lowest seq that the reader may see, from the entry. */
export function historyStart(entry: ChannelEntry): number {
  return Math.max(1, entry.channel.first_seq, entry.history_from_seq)
}
