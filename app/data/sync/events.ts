import type {
  Beat,
  Bootstrap,
  ChannelChanges,
  ChannelEntry,
  ChannelEvent,
  ChannelPage,
  Message,
  ReadAnswer,
  ThreadPage,
  UserEvent,
  Uuid,
} from '../../../wire/linnet.ts'
import type { State } from './state.ts'

/** What was asked of `channel_page` or `thread_page`; nothing asked is the newest page. */
export interface PageAsked {
  before?: number
  after?: number
  around?: number
}

/**
 * The channels held when something was asked, each with its `read_version` then. Only of those does absence
 * mean removal, and only a version below that one means that the pointer began anew (left and joined again)
 * rather than that the answer was overtaken.
 */
export type Known = ReadonlyMap<Uuid, number>

/** Everything that can change rows, whatever brought it. */
export type SyncEvent =
  | { type: 'restored'; state: State }
  | { type: 'bootstrapped'; answer: Bootstrap; known: Known }
  | { type: 'entryGiven'; entry: ChannelEntry }
  /** The caller may not see the channel (any more). */
  | { type: 'channelGone'; channelId: Uuid }
  | { type: 'pageGiven'; page: ChannelPage; asked: PageAsked }
  | { type: 'threadGiven'; page: ThreadPage; asked: PageAsked }
  /** `after` is the rev that was asked with. */
  | { type: 'changesGiven'; changes: ChannelChanges & { reset: false }; after: number }
  /** Too much changed: what was held gives way to one page, or to nothing where no words were held. */
  | { type: 'channelReset'; entry: ChannelEntry; page: ChannelPage | null; asked: PageAsked }
  /** A command's answer about one message. */
  | { type: 'rowGiven'; message: Message }
  | { type: 'channelTold'; event: ChannelEvent }
  | { type: 'userTold'; event: UserEvent }
  | { type: 'beatGiven'; beat: Beat; known: Known }
  /** `known`: the `read_version` held when it was asked. */
  | { type: 'readGiven'; answer: ReadAnswer; known: number }
  /** Lets go of messages further than `keep` from a seq, or from the end. */
  | { type: 'trimmed'; channelId: Uuid; around: number | 'end'; keep: number; threads: boolean }
