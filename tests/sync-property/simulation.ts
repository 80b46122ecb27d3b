import { createTab } from './tab.ts'
import type { Mutant } from './tab.ts'
import { createBrowser, createReadActivity } from './browser.ts'
import type { Browser, Tab } from './types.ts'
import type { TestDatabase } from './database/testDatabase.ts'
import { createNetwork } from './network/network.ts'
import type { Network } from './network/network.ts'
import { createRandom } from '../support/random.ts'
import type { Random } from '../support/random.ts'

/** The environment of a script: the database, the network and the browsers of all people. */
export interface Simulation {
  database: TestDatabase
  network: Network
  browsers: Browser[]
  /** Opens another tab. */
  openTab: (browser: Browser) => Tab
  /** `graceful`: whether the page could still save its cache and announce that it closes. */
  closeTab: (tab: Tab, graceful: boolean) => void
  /** The session of a browser ended: its tabs close and the cache is cleared; the outbox stays. */
  signedOut: (browser: Browser) => void
  signIn: (browser: Browser) => Promise<void>
  saveSnapshot: () => Promise<void>
  /**
   * Restores the snapshot: requests fail and sockets close. Pages that are suspended or without a network stay so, while
   * the numbers are used again for other changes. False without a snapshot.
   */
  restoreSnapshot: (random: Random) => Promise<boolean>
  /** All open tabs of everybody. */
  tabs: () => Tab[]
  end: () => void
}

const secondTab = (label: string) => `${label} (tab 2)`

const BROWSERS = [
  ['ann', 'ann'],
  ['bea', 'bea'],
  ['bea elsewhere', 'bea'],
  ['cem', 'cem'],
  ['gus', 'gus'],
  ['omar', 'omar'],
] as const

/**
 * The tabs that are open when a script starts: Bea has two in one browser, and one in another. Omar, who belongs to
 * no workspace yet, has two.
 */
export const TABS: readonly string[] = BROWSERS.flatMap(([label]) =>
  label === 'bea' || label === 'omar' ? [label, secondTab(label)] : [label],
)

/** Creates the environment with empty caches and a new session for each person. */
export async function createSimulation(options: {
  database: TestDatabase
  seed: number
  evicts: boolean
  mutant: Mutant
}): Promise<Simulation> {
  const { database, seed, mutant } = options
  await database.restoreSnapshot('beginning')
  await database.setEndsSubscriptions(options.evicts)
  await database.takePublished()
  const network = createNetwork(database, options.evicts)
  let opened = 0
  let hasSnapshot = false
  const simulation: Simulation = {
    database,
    network,
    browsers: [],
    openTab: (browser) => {
      opened += 1
      const first = browser.tabs.every((tab) => tab.label !== browser.label)
      const tab = createTab({
        network,
        browser,
        label: first ? browser.label : secondTab(browser.label),
        random: createRandom(seed * 1_000 + opened),
        mutant,
        onEnded: () => simulation.signedOut(browser),
      })
      browser.tabs.push(tab)
      if (browser.tabs.length === 1) browser.elect(tab)
      return tab
    },
    closeTab: (tab, graceful) => {
      const { browser } = tab
      if (graceful) tab.saveCache()
      browser.tabs = browser.tabs.filter((one) => one !== tab)
      tab.stop(graceful)
      browser.onTabClosed(tab)
      const [heir] = browser.tabs
      if (tab.leads && heir) browser.elect(heir)
    },
    signedOut: (browser) => {
      for (const tab of Array.from(browser.tabs)) simulation.closeTab(tab, false)
      browser.clearCache()
    },
    signIn: async (browser) => {
      browser.caller = await database.signIn(browser.person)
      simulation.openTab(browser)
    },
    saveSnapshot: async () => {
      await database.saveSnapshot('backup')
      hasSnapshot = true
    },
    restoreSnapshot: async (random) => {
      if (!hasSnapshot) return false
      await network.requests.failAll(random)
      await network.deliverTabMessages(simulation.tabs().map((tab) => tab.device))
      await database.restoreSnapshot('backup')
      network.restart()
      await forgetLostMessages(simulation)
      return true
    },
    tabs: () => simulation.browsers.flatMap((browser) => browser.tabs),
    end: () => {
      for (const tab of simulation.tabs()) tab.stop(true)
    },
  }
  for (const [label, name] of BROWSERS) {
    const person = database.people[name]
    const browser = createBrowser(label, person, await database.signIn(person))
    simulation.browsers.push(browser)
    simulation.openTab(browser)
    if (TABS.includes(secondTab(label))) simulation.openTab(browser)
  }
  return simulation
}

/** Removes messages from the expectations if restoring the snapshot has removed them. */
async function forgetLostMessages({ database, browsers }: Simulation): Promise<void> {
  const there = new Set((await database.readTables()).messages.map((one) => one.id))
  for (const browser of browsers) {
    const waits = new Set(browser.mutations.map((one) => one.id))
    browser.sentMessages = browser.sentMessages.filter(({ id }) => there.has(id) || waits.has(id))
    browser.readActivity = { ...createReadActivity(), inconclusive: true }
    // The snapshot may contain a message that was refused later, because its author had lost access, and discarded.
    browser.discarded = []
  }
}
