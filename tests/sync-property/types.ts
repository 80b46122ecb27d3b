import type { DeviceStorage } from '../../app/data/persistence/deviceStorage.ts'
import type { Mutation } from '../../app/data/mutations/mutation.ts'
import type { OutboxStorage, Outbox } from '../../app/data/mutations/outbox.ts'
import type { CachedWorkspace, CachedMessages } from '../../app/data/persistence/cachedRows.ts'
import type { MutationResult } from '../../app/data/mutations/execution.ts'
import type { Engine } from '../../app/data/sync/engine.ts'
import type { ReadMarkers } from '../../app/data/mutations/readMarkers.ts'
import type { Store } from '../../app/data/store/store.ts'
import type { TimelineViews } from '../../app/data/sync/timelineViews.ts'
import type { SharedTopics, TopicTabMessage } from '../../app/data/tabs/sharedTopics.ts'
import type { Caller } from '../../wire/claims.ts'
import type { CommandName, Commands } from '../../wire/commands.ts'
import type { Uuid } from '../../wire/scalars.ts'
import type { Person } from './database/testDatabase.ts'
import type { Device } from './network/device.ts'

/** A message that was put into the outbox, in order. */
export interface SentMessage {
  id: Uuid
  channel: Uuid
  root: Uuid | null
  body: string
  /** It was refused once and may have been retried: messages that were written later may precede it. */
  refused: boolean
}

/** What was read and marked unread in a browser since the last comparison. */
export interface ReadActivity {
  /** The highest seq that was read in each channel, as the outbox stored it. */
  read: Map<Uuid, number>
  /** Channels in which something was marked unread. */
  unread: Set<Uuid>
  /** Memberships that a command of this browser may have ended: `<channel> <profile>`. */
  ended: Set<string>
  /** Earlier reads prove nothing: the database was restored from a snapshot, or somebody was deactivated. */
  inconclusive: boolean
}

/** One person's browser: what it stores between visits, and its open tabs. */
export interface Browser {
  label: string
  person: Person
  caller: Caller
  tabs: Tab[]
  outboxStorage: OutboxStorage
  cache: Pick<DeviceStorage, 'writeCache'>
  cached: { workspace: CachedWorkspace; messages: CachedMessages[] } | null
  /** Pending and refused mutations of its outbox. */
  mutations: readonly Mutation[]
  sentMessages: SentMessage[]
  /** Messages that their author discarded before the outbox had sent them. */
  discarded: Uuid[]
  readActivity: ReadActivity
  /** Sends to all other tabs, in order. */
  broadcast: (from: Tab, news: TabMessage) => void
  /** Resolves when a tab has closed, as the release of its lock does. */
  whenClosed: (tab: string) => Promise<void>
  /** Called when a tab has closed. */
  onTabClosed: (tab: Tab) => void
  /** Makes this tab the leader. A sleeping leader loses its role and learns so when it wakes. */
  elect: (tab: Tab) => void
  /** Clears the cached messages, as when a session expired; the outbox stays. */
  clearCache: () => void
}

/** Messages among the tabs of one browser. */
export type TabMessage = TopicTabMessage | { kind: 'outbox'; answer: MutationResult | null }

/** One tab: the app's own engine, outbox, read markers, views and cache on a simulated network. */
export interface Tab {
  label: string
  browser: Browser
  device: Device
  store: Store
  engine: Engine
  outbox: Outbox
  readMarkers: ReadMarkers
  views: TimelineViews
  topics: SharedTopics
  leads: boolean
  /** The open conversation, if any. */
  opened: { channel: Uuid; close: () => void } | null
  /** The thread that was opened last, if any. */
  thread: { channel: Uuid; root: Uuid } | null
  /** The profile of its user, once the tab knows it. */
  me: () => Uuid | null
  /** Runs a command and passes its result on. */
  run: <N extends CommandName>(
    name: N,
    args: Commands[N]['args'],
    then: (answer: Commands[N]['response']) => void,
  ) => void
  /** Runs a command and stores its result (a message, an entry) in the rows, as the app's actions do. */
  runAndApply: <N extends CommandName>(name: N, args: Commands[N]['args']) => void
  /** Plain SQL under the policies, over the simulated network. */
  write: (what: string, text: string, values: unknown[]) => void
  open: (channel: Uuid) => void
  close: () => void
  receive: (news: TabMessage) => void
  /** What is still pending. */
  busy: () => string[]
  /** Writes the cache now, as the app does when its page is hidden. */
  saveCache: () => void
  /** `graceful`: whether the page could still announce that it closes. */
  stop: (graceful: boolean) => void
}
