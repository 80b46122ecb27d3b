import type {
  Beat,
  Bootstrap,
  ChannelChanges,
  ChannelEntry,
  ChannelEvent,
  ChannelPage,
  Message,
  ReadAnswer,
  ThreadInbox,
  ThreadPage,
  ThreadState,
  UserEvent,
  Uuid,
  WorkspaceEvent,
} from '../../../wire/linnet.ts'
import type { SectionChange } from './ownRows.ts'
import type { Preferences } from './preferences.ts'
import type { Known } from './requestSnapshot.ts'
import type { Stretch } from './channelRows.ts'
import type { State } from './state.ts'

/** What was asked of `channel_page` or `thread_page`; nothing asked is the newest page. */
export interface PageAsked {
  before?: number
  after?: number
  around?: number
}

/** Everything that can change rows, whatever brought it. */
export type SyncEvent =
  | { type: 'restored'; state: State }
  | { type: 'bootstrapped'; answer: Bootstrap; known: Known }
  | { type: 'entryGiven'; entry: ChannelEntry }
  /** The caller may not see the channel (any more). */
  | { type: 'channelGone'; channelId: Uuid }
  | { type: 'pageGiven'; page: ChannelPage; asked: PageAsked }
  | { type: 'threadGiven'; page: ThreadPage; asked: PageAsked }
  /** Each thread with its root and last replies, which are held like a page of it. */
  | { type: 'inboxGiven'; inbox: ThreadInbox }
  /** One's own place in one thread, by a command's answer. */
  | { type: 'threadStateGiven'; thread: ThreadState }
  /** The answer to `thread_states`; `asked`: root → the highest number heard of then. */
  | {
      type: 'threadStatesGiven'
      threads: readonly ThreadState[]
      asked: ReadonlyMap<Uuid, number>
      known: Known
    }
  /** `after` is the rev that was asked with. */
  | { type: 'changesGiven'; changes: ChannelChanges & { reset: false }; after: number }
  /**
   * Too much changed: what was held gives way to one page, or to nothing where no words were held. `known`: the
   * channel's rev that was known when it was asked.
   */
  | { type: 'channelReset'; entry: ChannelEntry; page: ChannelPage | null; asked: PageAsked; known: number }
  /** A command's answer about one message. */
  | { type: 'rowGiven'; message: Message }
  | { type: 'channelTold'; event: ChannelEvent }
  | { type: 'userTold'; event: UserEvent }
  | { type: 'workspaceTold'; event: WorkspaceEvent }
  /** What a check found to be wrong, as the home has it. */
  | {
      type: 'corrected'
      entries: readonly ChannelEntry[]
      gone: readonly Uuid[]
      threads: readonly ThreadState[]
      roots: ReadonlySet<Uuid>
    }
  | { type: 'beatGiven'; beat: Beat; known: Known }
  | { type: 'readGiven'; answer: ReadAnswer }
  /** One's own preferences of a channel were stored. */
  | { type: 'preferencesGiven'; channelId: Uuid; change: Partial<Preferences> }
  /** A section of one's sidebar was stored or deleted. */
  | { type: 'sectionGiven'; section: Uuid; change: Partial<SectionChange> }
  /** Lets go of the messages that lie in none of these stretches. */
  | { type: 'trimmed'; channelId: Uuid; stretches: readonly Stretch[]; threads: boolean }
