import type { OutboxStorage } from '../../app/data/mutations/outbox.ts'
import type { CachedMessages } from '../../app/data/persistence/cachedRows.ts'
import type { Caller } from '../../wire/claims.ts'
import type { Browser, ReadActivity, Tab } from './types.ts'
import type { Person } from './database/testDatabase.ts'

export function createReadActivity(): ReadActivity {
  return { read: new Map(), unread: new Set(), ended: new Set(), inconclusive: false }
}

export function createBrowser(label: string, person: Person, caller: Caller): Browser {
  let waiting: { tab: string; resolve: () => void }[] = []
  let elected: Tab | null = null
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
        const writtenIds = new Set(messages.map((one) => one.id))
        const beyond = (one: CachedMessages) => one.rev < (stale.get(one.id) ?? 0)
        const entries = new Set(workspace.entries.map(({ channel }) => channel.id))
        const isRetained = ({ id }: CachedMessages) => entries.has(id) && !dropped.includes(id)
        const before = browser.cached?.messages.filter(isRetained) ?? []
        const newest = messages.map(
          (one) => before.find(({ id, rev }) => id === one.id && rev > one.rev) ?? one,
        )
        const retained = before.filter((one) => !writtenIds.has(one.id) && !beyond(one))
        browser.cached = structuredClone({ workspace, messages: [...retained, ...newest] })
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
      elected = tab
      for (const other of browser.tabs) {
        if (other === tab || !other.leads) continue
        const resign = () => {
          // Elected again while it was suspended, since the other tab was closed.
          if (elected === other) return
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
