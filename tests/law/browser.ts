import type { Device as KeptDevice } from '../../app/data/persistence/deviceStorage.ts'
import type { Deed } from '../../app/data/mutations/mutation.ts'
import type { OutboxShelf } from '../../app/data/mutations/outbox.ts'
import type { KeptBase, KeptWords } from '../../app/data/persistence/cachedRows.ts'
import type { Caller } from '../../wire/claims.ts'
import type { Uuid } from '../../wire/linnet.ts'
import type { Actor, News } from './actor.ts'
import type { Person } from './home/home.ts'

/** Something that was given to the outbox, in the order of giving. */
export interface Written {
  id: Uuid
  channel: Uuid
  root: Uuid | null
  body: string
  /** At some time, and then tried again, or an earlier try has come: what was written after it may be before it. */
  refused: boolean
}

/** What was read and marked unread in a browser since the last comparison. */
export interface Reading {
  /** The highest seq that was read in each channel, as the outbox stored it. */
  read: Map<Uuid, number>
  /** Channels in which something was marked unread. */
  unread: Set<Uuid>
  /** Whose membership may have ended, by a command of this browser: `<channel> <profile>`. */
  ended: Set<string>
  /** Nothing of before counts: the home was restored from a copy, or somebody was deactivated. */
  void: boolean
}

/** One person's browser: what it keeps between visits, and the tabs that are open in it. */
export interface Browser {
  label: string
  person: Person
  caller: Caller
  tabs: Actor[]
  shelf: OutboxShelf
  cache: Pick<KeptDevice, 'keep'>
  kept: { base: KeptBase; words: KeptWords[] } | null
  /** What waits in its outbox, or was refused. */
  deeds: readonly Deed[]
  written: Written[]
  /** Messages that their author took back before the outbox let go of them. */
  takenBack: Uuid[]
  reading: Reading
  /** Tells all other tabs, in order. */
  tell: (from: Actor, news: News) => void
  /** Resolves when a tab has ended, as its lock is released. */
  ended: (tab: string) => Promise<void>
  /** The tab has ended. */
  end: (tab: Actor) => void
  /** Makes this tab the one that leads. One that sleeps is robbed of the lead, and learns it when it wakes. */
  lead: (tab: Actor) => void
  /** Forgets the words, as when a session ended by itself; what was written stays. */
  forgetWords: () => void
}

export function noReading(): Reading {
  return { read: new Map(), unread: new Set(), ended: new Set(), void: false }
}

export function createBrowser(label: string, person: Person, caller: Caller): Browser {
  let waiting: { tab: string; resolve: () => void }[] = []
  const shelf: OutboxShelf = {
    all: async () => structuredClone(browser.deeds),
    // One transaction: all tabs change it in turn.
    change: async (how) => {
      browser.deeds = structuredClone(how(structuredClone(browser.deeds)))
      return structuredClone(browser.deeds)
    },
  }
  const browser: Browser = {
    label,
    person,
    caller,
    tabs: [],
    shelf,
    cache: {
      keep: async (base, words, dropped, stale) => {
        const gone = new Set(words.map((one) => one.id))
        const beyond = (one: KeptWords) => one.rev < (stale.get(one.id) ?? 0)
        const entries = new Set(base.entries.map(({ channel }) => channel.id))
        const stays = ({ id }: KeptWords) => entries.has(id) && !dropped.includes(id)
        const before = browser.kept?.words.filter(stays) ?? []
        const newest = words.map((one) => before.find(({ id, rev }) => id === one.id && rev > one.rev) ?? one)
        const left = before.filter((one) => !gone.has(one.id) && !beyond(one))
        browser.kept = structuredClone({ base, words: [...left, ...newest] })
      },
    },
    kept: null,
    deeds: [],
    written: [],
    takenBack: [],
    reading: noReading(),
    tell: (from, news) => {
      for (const tab of browser.tabs) {
        if (tab === from) continue
        const copy = structuredClone(news)
        tab.device.post.push(() => tab.hear(copy))
      }
    },
    ended: (tab) =>
      new Promise((resolve) => {
        waiting.push({ tab, resolve })
      }),
    end: (tab) => {
      for (const one of waiting.filter(({ tab: label }) => label === tab.label)) one.resolve()
      waiting = waiting.filter(({ tab: label }) => label !== tab.label)
    },
    lead: (tab) => {
      for (const other of browser.tabs) {
        if (other === tab || !other.leads) continue
        const resign = () => {
          other.leads = false
          other.topics.leading(false)
        }
        if (other.device.asleep) other.device.post.unshift(resign)
        else resign()
      }
      if (tab.leads) return
      tab.leads = true
      tab.topics.leading(true)
      tab.outbox.kick()
    },
    forgetWords: () => {
      browser.kept = null
    },
  }
  return browser
}
