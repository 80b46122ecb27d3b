import { createActor } from './actor.ts'
import type { Actor, Wrong } from './actor.ts'
import { createBrowser, noReading } from './browser.ts'
import type { Browser } from './browser.ts'
import type { LawHome } from './home/home.ts'
import { createNetwork } from './network/network.ts'
import type { Network } from './network/network.ts'
import { chanceOf } from './random.ts'
import type { Chance } from './random.ts'

/** Where a story plays: the home, the way to it, and everybody's browsers. */
export interface Scene {
  home: LawHome
  network: Network
  browsers: Browser[]
  /** One tab more. */
  openTab: (browser: Browser) => Actor
  /** `told`: whether the page could still say that it goes, and keep its words. */
  closeTab: (tab: Actor, told: boolean) => void
  /** The session of a browser ended: its tabs go, with the words; what was written stays. */
  signedOut: (browser: Browser) => void
  signIn: (browser: Browser) => Promise<void>
  keepCopy: () => Promise<void>
  /**
   * The home is again as in its copy, and everybody asks anew before more is said: who slept until its numbers have
   * overtaken theirs could not know that they mean something else. False without a copy.
   */
  restoreCopy: (chance: Chance) => Promise<boolean>
  /** Every tab that is open, of whomever. */
  tabs: () => Actor[]
  end: () => void
}

const second = (label: string) => `${label} (tab 2)`

const BROWSERS = [
  ['ann', 'ann'],
  ['bea', 'bea'],
  ['bea elsewhere', 'bea'],
  ['cem', 'cem'],
  ['gus', 'gus'],
  ['omar', 'omar'],
] as const

/**
 * The tabs that are open when a story begins: Bea has two in one browser, and a browser elsewhere. So has Omar, who
 * belongs to no workspace yet.
 */
export const TABS: readonly string[] = BROWSERS.flatMap(([label]) =>
  label === 'bea' || label === 'omar' ? [label, second(label)] : [label],
)

/** Sets everything to the beginning: nobody holds anything, each has a session. */
export async function setScene(options: {
  home: LawHome
  seed: number
  evicts: boolean
  wrong: Wrong
}): Promise<Scene> {
  const { home, seed, wrong } = options
  await home.restore('beginning')
  await home.said()
  const network = createNetwork(home, options.evicts)
  let made = 0
  let copied = false
  const scene: Scene = {
    home,
    network,
    browsers: [],
    openTab: (browser) => {
      made += 1
      const first = browser.tabs.every((tab) => tab.label !== browser.label)
      const tab = createActor({
        network,
        browser,
        label: first ? browser.label : second(browser.label),
        chance: chanceOf(seed * 1_000 + made),
        wrong,
        onEnded: () => scene.signedOut(browser),
      })
      browser.tabs.push(tab)
      if (browser.tabs.length === 1) browser.lead(tab)
      return tab
    },
    closeTab: (tab, told) => {
      const { browser } = tab
      if (told) tab.keep()
      browser.tabs = browser.tabs.filter((one) => one !== tab)
      tab.stop(told)
      browser.end(tab)
      const [heir] = browser.tabs
      if (tab.leads && heir) browser.lead(heir)
    },
    signedOut: (browser) => {
      for (const tab of Array.from(browser.tabs)) scene.closeTab(tab, false)
      browser.forgetWords()
    },
    signIn: async (browser) => {
      browser.caller = await home.signIn(browser.person)
      scene.openTab(browser)
    },
    keepCopy: async () => {
      await home.keep('backup')
      copied = true
    },
    restoreCopy: async (chance) => {
      if (!copied) return false
      await network.requests.cutAll(chance)
      await network.deliverPosts(scene.tabs().map((tab) => tab.device))
      await home.restore('backup')
      network.restart()
      await lose(scene)
      for (const tab of scene.tabs()) {
        tab.device.asleep = false
        network.heal(tab.device)
        tab.engine.refresh()
      }
      while ((await network.step(chance, false)) !== null);
      return true
    },
    tabs: () => scene.browsers.flatMap((browser) => browser.tabs),
    end: () => {
      for (const tab of scene.tabs()) tab.stop(true)
    },
  }
  for (const [label, name] of BROWSERS) {
    const person = home.people[name]
    const browser = createBrowser(label, person, await home.signIn(person))
    scene.browsers.push(browser)
    scene.openTab(browser)
    if (TABS.includes(second(label))) scene.openTab(browser)
  }
  return scene
}

/** What a home has lost by being restored, nobody can ask it for: what was sent counts no more. */
async function lose({ home, browsers }: Scene): Promise<void> {
  const there = new Set((await home.facts()).messages.map((one) => one.id))
  for (const browser of browsers) {
    const waits = new Set(browser.deeds.map((one) => one.id))
    browser.written = browser.written.filter(({ id }) => there.has(id) || waits.has(id))
    browser.reading = { ...noReading(), void: true }
  }
}
