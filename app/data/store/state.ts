import type { CustomEmoji } from '../../../wire/emoji.ts'
import type { Digests } from '../../../wire/sync.ts'
import type { ThreadState } from '../../../wire/threads.ts'
import type { KnownChange, Message } from '../../../wire/messages.ts'
import type { ChannelEntry, Section } from '../../../wire/channels.ts'
import type {
  WorkspaceCounters,
  Member,
  OwnMembership,
  PausedWorkspace,
  Workspace,
  PresenceState,
} from '../../../wire/people.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { KnownUserGroup } from './knownUserGroups.ts'
import { ownRowsById, type OwnRowsById } from './ownKinds.ts'
import { rangeOf } from './ranges.ts'
import type { Range } from './ranges.ts'

/** The loaded part of a timeline: of a channel by `seq`, or of a thread by `thread_seq`. */
export interface TimelineRows {
  /** Ranges without gaps, ascending. */
  windows: readonly Range[]
  byNumber: ReadonlyMap<number, Uuid>
  /** The lowest readable number; null until a page has contained it. */
  first: number | null
}

/** A channel: its entry, and the loaded parts of its timeline and of its threads, by root. */
export interface ChannelRows extends TimelineRows {
  /** `entry.counters.rev` is the highest rev received. */
  entry: ChannelEntry
  /** Everything loaded is at least as new as this rev: if the entry's is higher, changes are missing. */
  rev: number
  /** Revs above `rev + 1` whose messages are loaded already; those in between have not been received. */
  aheadRevs: readonly number[]
  /**
   * Highest rev at which a message may have changed that was not loaded. A message from a response of a lower rev is not
   * added: it may lack that change, which would not be fetched again.
   */
  unloadedRev: number
  /** Messages of the timeline and of the threads, with the threads' roots. */
  messages: ReadonlyMap<Uuid, Message>
  threads: ReadonlyMap<Uuid, TimelineRows>
  /** The rev at which the server made the unread counts. */
  countsRev: number
  /** The latest changes of the history to which the loaded messages belong, ascending: a restored backup lacks them. */
  knownChanges: readonly KnownChange[]
}

/** Identifies a timeline: of a channel (`root` null), or of the thread with this root. */
export interface TimelineAddress {
  channel: Uuid
  root: Uuid | null
}

/** A thread with replies that its state does not count. The state is fetched again. */
export interface StaleThread {
  channelId: Uuid
  /** The highest number received. */
  last: number
}

/** Lists of the workspace that are fetched whole when their version changes (`sync/watchVersionedList.ts`). */
export interface VersionedLists {
  userGroups: readonly KnownUserGroup[]
  customEmoji: readonly CustomEmoji[]
}

/** One of these lists. */
export type VersionedList = {
  [K in keyof VersionedLists]: { name: K; rows: VersionedLists[K] }
}[keyof VersionedLists]

/** All rows of one account in one workspace. Only `applyEvent` creates a changed copy. */
export interface State extends OwnRowsById {
  me: OwnMembership | null
  workspace: Workspace | null
  workspaces: readonly Workspace[]
  /** Workspaces that the user can open only with a second factor; known once live. */
  pausedWorkspaces: readonly PausedWorkspace[]
  members: ReadonlyMap<Uuid, Member>
  /** The groups of the workspace that the reader may see, by name; null until they are loaded. */
  userGroups: readonly KnownUserGroup[] | null
  /** The custom emoji of the workspace, by name; null until they are loaded. */
  customEmoji: readonly CustomEmoji[] | null
  /** The versions of the lists that are fetched whole: see `VersionedLists`. */
  versions: Partial<Record<keyof VersionedLists, string>>
  channels: ReadonlyMap<Uuid, ChannelRows>
  presence: ReadonlyMap<Uuid, PresenceState>
  /** Number of the last applied change of members, and the epoch of their topic; null for guests, who cannot join it. */
  workspaceCounters: WorkspaceCounters | null
  /** The reader's thread states, by root: of followed threads with unread replies, and of those displayed since. */
  threads: ReadonlyMap<Uuid, ThreadState>
  staleThreads: ReadonlyMap<Uuid, StaleThread>
  /** The user's sidebar sections, ascending by position. */
  sections: readonly Section[]
  /**
   * Digests of the rows that are as the server described them. An event removes the digests of the rows that it
   * changes.
   */
  digests: Digests
  /** Maximum number of topics to subscribe to. */
  maxTopics: number
  /** `empty`: before any rows. `cached`: rows stored by this browser. `live`: the server's, since the first bootstrap. */
  source: 'empty' | 'cached' | 'live'
}

export const emptyState: State = {
  me: null,
  workspace: null,
  workspaces: [],
  pausedWorkspaces: [],
  members: new Map(),
  userGroups: null,
  customEmoji: null,
  versions: {},
  channels: new Map(),
  presence: new Map(),
  workspaceCounters: null,
  threads: new Map(),
  staleThreads: new Map(),
  sections: [],
  ...ownRowsById({}),
  digests: {},
  maxTopics: 30,
  source: 'empty',
}

/** Whether any message of the channel is loaded, so that its changes have to be fetched. */
export function hasLoadedMessages(rows: ChannelRows): boolean {
  return rows.windows.length > 0 || rows.threads.size > 0
}

/** Whether changes are known to be missing. */
export function isBehind(rows: ChannelRows): boolean {
  return rows.rev < rows.entry.counters.rev
}

/** The lowest seq that the reader may read. */
export function historyStart(entry: ChannelEntry): number {
  return Math.max(1, entry.channel.first_seq, entry.history_from_seq)
}

/** Returns the loaded part of a timeline; undefined for a thread without loaded messages. */
export function timelineOf(rows: ChannelRows, root: Uuid | null): TimelineRows | undefined {
  return root === null ? rows : rows.threads.get(root)
}

/**
 * Returns the number of a message in the timeline of its channel (`root` null) or of its thread; null if it has none
 * there.
 */
export function numberIn(message: Message, root: Uuid | null): number | null {
  return root === null ? message.seq : message.thread_seq
}

/** The lowest number that the reader may read. */
export function firstNumber(rows: ChannelRows, root: Uuid | null): number {
  return timelineOf(rows, root)?.first ?? lowestNumber(rows.entry, root)
}

/** The lowest number that can be readable before any page is loaded. */
export function lowestNumber(entry: ChannelEntry, root: Uuid | null): number {
  return root === null ? historyStart(entry) : 1
}

/** The highest number received. */
export function lastNumber(rows: ChannelRows, root: Uuid | null): number {
  return root === null ? rows.entry.counters.last_seq : (rows.messages.get(root)?.last_thread_seq ?? 0)
}

/** Returns the loaded range that a view at `anchor` shows: the range around this number, or the newest. */
export function loadedWindow(rows: ChannelRows, root: Uuid | null, anchor: number | 'end'): Range | null {
  const windows = timelineOf(rows, root)?.windows ?? []
  return anchor === 'end' ? (windows.at(-1) ?? null) : rangeOf(windows, anchor)
}

/** Whether messages before the window are readable. */
export function hasBefore(rows: ChannelRows, root: Uuid | null, window: Range): boolean {
  return window.from > firstNumber(rows, root)
}

/** Whether messages after the window exist. */
export function hasAfter(rows: ChannelRows, root: Uuid | null, window: Range): boolean {
  return window.to < lastNumber(rows, root)
}
