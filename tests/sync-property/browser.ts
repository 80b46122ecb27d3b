import type { DeviceStorage as KeptDevice } from '../../app/data/persistence/deviceStorage.ts'
import type { Mutation } from '../../app/data/mutations/mutation.ts'
import type { OutboxStorage } from '../../app/data/mutations/outbox.ts'
import type { CachedWorkspace, CachedMessages } from '../../app/data/persistence/cachedRows.ts'
import type { Caller } from '../../wire/claims.ts'
import type { Uuid } from '../../wire/linnet.ts'
import type { Tab, TabMessage } from './tab.ts'
import type { Person } from './database/testDatabase.ts'

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
  cache: Pick<KeptDevice, 'writeCache'>
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

export function createReadActivity(): ReadActivity {
  return { read: new Map(), unread: new Set(), ended: new Set(), inconclusive: false }
}

export function createBrowser(label: string, person: Person, caller: Caller): Browser {
  let waiting: { tab: string; resolve: () => void }[] = []
  const outboxStorage: OutboxStorage = {
    all: async () => structuredClone(browser.mutations),
    // One transaction: the tabs change it one after the other.
    change: async (how) => {
      browser.mutations = structuredClone(how(structuredClone(browser.mutations)))
      return structuredClone(browser.mutations)
    },
  }
  const browser: Browser = {
    label,
    person,
    caller,
    tabs: [],
    outboxStorage,
    cache: {
      writeCache: async (workspace, messages, dropped, stale) => {
        const gone = new Set(messages.map((one) => one.id))
        const beyond = (one: CachedMessages) => one.rev < (stale.get(one.id) ?? 0)
        const entries = new Set(workspace.entries.map(({ channel }) => channel.id))
        const stays = ({ id }: CachedMessages) => entries.has(id) && !dropped.includes(id)
        const before = browser.cached?.messages.filter(stays) ?? []
        const newest = messages.map(
          (one) => before.find(({ id, rev }) => id === one.id && rev > one.rev) ?? one,
        )
        const left = before.filter((one) => !gone.has(one.id) && !beyond(one))
        browser.cached = structuredClone({ workspace, messages: [...left, ...newest] })
      },
    },
    cached: null,
    mutations: [],
    sentMessages: [],
    discarded: [],
    readActivity: createReadActivity(),
    broadcast: (from, news) => {
      for (const tab of browser.tabs) {
        if (tab === from) continue
        const copy = structuredClone(news)
        tab.device.tabMessages.push(() => tab.receive(copy))
      }
    },
    whenClosed: (tab) =>
      new Promise((resolve) => {
        waiting.push({ tab, resolve })
      }),
    onTabClosed: (tab) => {
      for (const one of waiting.filter(({ tab: label }) => label === tab.label)) one.resolve()
      waiting = waiting.filter(({ tab: label }) => label !== tab.label)
    },
    elect: (tab) => {
      for (const other of browser.tabs) {
        if (other === tab || !other.leads) continue
        const resign = () => {
          other.leads = false
          other.topics.setLeader(false)
        }
        if (other.device.asleep) other.device.tabMessages.unshift(resign)
        else resign()
      }
      if (tab.leads) return
      tab.leads = true
      tab.topics.setLeader(true)
      tab.outbox.retryNow()
    },
    clearCache: () => {
      browser.cached = null
    },
  }
  return browser
}
