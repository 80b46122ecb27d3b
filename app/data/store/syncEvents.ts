import type { Heartbeat, Bootstrap, OwnRows } from '../../../wire/sync.ts'
import type { NotificationPreferences } from '../../../wire/notifications.ts'
import type { WorkspaceEvent, UserEvent, ChannelEvent } from '../../../wire/events.ts'
import type { ThreadInboxPage, ThreadPage, ThreadState } from '../../../wire/threads.ts'
import type { ChannelChanges, ChannelPage, Message } from '../../../wire/messages.ts'
import type { ReadStateResponse, ChannelEntry } from '../../../wire/channels.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Preferences, SectionChange } from './ownRows.ts'
import type { RequestSnapshot } from './requestSnapshot.ts'
import type { PageRequest, RetainedRange } from './channelRows.ts'
import type { State, TimelineAddress, VersionedList } from './state.ts'

/** Everything that changes rows. */
export type SyncEvent =
  | { type: 'cacheRestored'; state: State }
  | { type: 'bootstrapReceived'; response: Bootstrap; snapshot: RequestSnapshot }
  /** `snapshot`: of the request; absent where the entry comes with the response to a command. */
  | { type: 'entryReceived'; entry: ChannelEntry; snapshot?: RequestSnapshot }
  /** A list of a workspace that the reader may see, as of this version. */
  | { type: 'versionedListReceived'; workspace: Uuid; list: VersionedList; version: string }
  /** The channel is not visible to the caller (any more). */
  | { type: 'channelRemoved'; channelId: Uuid }
  | { type: 'pageReceived'; page: ChannelPage | ThreadPage; request: PageRequest }
  /** Each thread with its root and last replies, which are stored like a page. */
  | { type: 'inboxReceived'; inbox: ThreadInboxPage }
  /** The reader's thread state, from the response to a command. */
  | { type: 'threadStateReceived'; thread: ThreadState }
  /** The response to `thread_states`; `requested`: root → the highest number received at the request. */
  | {
      type: 'threadStatesReceived'
      threads: readonly ThreadState[]
      requested: ReadonlyMap<Uuid, number>
      snapshot: RequestSnapshot
    }
  /** `after` is the rev that the request was sent with. */
  | { type: 'changesReceived'; changes: ChannelChanges & { reset: false }; after: number }
  /**
   * Too much changed: one page replaces what was loaded; null: no messages were loaded. `revBefore`: the channel's rev
   * when the request was sent.
   */
  | {
      type: 'channelReset'
      entry: ChannelEntry
      page: ChannelPage | null
      request: PageRequest
      revBefore: number
    }
  /** A message from the response to a command; `drafts`: the changes of its author's draft that were sent with it. */
  | { type: 'messageReceived'; message: Message; drafts?: readonly Uuid[] }
  /** An own row as the server has it; `row` null: it has none. */
  | OwnRowReceived
  | { type: 'channelEventReceived'; event: ChannelEvent }
  | { type: 'userEventReceived'; event: UserEvent }
  | { type: 'workspaceEventReceived'; event: WorkspaceEvent }
  /** The server's rows for those that a check found to be wrong. */
  | {
      type: 'rowsCorrected'
      entries: readonly ChannelEntry[]
      removedChannelIds: readonly Uuid[]
      threads: readonly ThreadState[]
      roots: ReadonlySet<Uuid>
    }
  /** Loaded messages of the channel are not those of the server: all are fetched again. */
  | { type: 'historyRefuted'; channelId: Uuid }
  | { type: 'heartbeatReceived'; heartbeat: Heartbeat; snapshot: RequestSnapshot }
  | { type: 'readStateReceived'; response: ReadStateResponse }
  /** Own preferences of a channel were stored. `rev`: of the stored state. */
  | { type: 'preferencesSaved'; channelId: Uuid; change: Partial<Preferences>; rev: number }
  /** Own notification preferences of the workspace were stored. A query shows them. */
  | { type: 'notificationPreferencesSaved'; preferences: NotificationPreferences }
  /** A section of the sidebar was stored or deleted. `rev`: of the stored section; null: it was deleted. */
  | { type: 'sectionSaved'; section: Uuid; change: Partial<SectionChange>; rev: number | null }
  /** Evicts the messages of a timeline that are in none of these ranges; `withThreads`: also all threads of a channel. */
  | { type: 'rowsTrimmed'; at: TimelineAddress; retain: readonly RetainedRange[]; withThreads: boolean }

export interface OwnRowReceived {
  type: 'ownRowReceived'
  kind: keyof OwnRows
  id: Uuid
  row: OwnRows[keyof OwnRows][number] | null
}
