import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLeadership } from './leadership.ts'
import type { Browser } from './leadership.ts'

type Locks = NonNullable<Browser['locks']>

/** Web Locks of one browser: exclusive, in turn, stolen, and released when a tab ends. */
function createBrowser() {
  let holder: { tab: string; lose: (error: unknown) => void } | null = null
  let queue: { tab: string; take: () => void }[] = []
  const ports: { tab: string; receive: (message: unknown) => void }[] = []
  const frozen = new Set<string>()
  /** Whether requests are granted late: an abort does not prevent it. */
  let isSlow = false

  function releaseLock() {
    holder = null
    queue.shift()?.take()
  }

  function request(tab: string): Locks['request'] {
    const requestLock = (_name: string, options: LockOptions, run: () => Promise<unknown>) =>
      new Promise((resolve, reject) => {
        const take = () => {
          const mine = { tab, lose: reject }
          holder = mine
          void run().then((value) => {
            resolve(value)
            if (holder === mine) releaseLock()
          })
        }
        if (options.steal) {
          if (!holder) queue.shift()?.take()
          const lost = holder
          holder = null
          take()
          lost?.lose(new DOMException('stolen', 'AbortError'))
          return
        }
        const entry = { tab, take }
        options.signal?.addEventListener('abort', () => {
          if (isSlow) return
          queue = queue.filter((one) => one !== entry)
          reject(new DOMException('called off', 'AbortError'))
        })
        if (holder || isSlow) queue.push(entry)
        else take()
      })
    return requestLock as Locks['request']
  }

  const tabs: (() => void)[] = []
  function open(tab: string, visible: boolean) {
    const changes: (() => void)[] = []
    const page = {
      visibilityState: (visible ? 'visible' : 'hidden') as DocumentVisibilityState,
      addEventListener: (_name: string, run: () => void) => void changes.push(run),
      removeEventListener: () => {},
    }
    const messages: unknown[] = []
    const leadership = createLeadership(
      'tabs',
      () => {},
      (notified) => messages.push(notified),
      {
        locks: { request: request(tab) } as Locks,
        channel: () => ({
          postMessage: (data: unknown) => {
            for (const port of ports) {
              if (port.tab !== tab && !frozen.has(port.tab)) setTimeout(() => port.receive({ data }), 0)
            }
          },
          addEventListener: (_name: string, receive: (message: unknown) => void) =>
            void ports.push({ tab, receive }),
          close: () => {},
        }),
        page,
      } as unknown as Browser,
    )
    tabs.push(leadership.stop)
    return {
      leadership,
      messages,
      show: (now: boolean) => {
        page.visibilityState = now ? 'visible' : 'hidden'
        for (const change of changes) change()
      },
    }
  }
  return {
    open,
    freeze: (tab: string) => frozen.add(tab),
    /** From now on a request is granted only when the lock is stolen. */
    delayGrants: () => {
      isSlow = true
    },
    /** The tab's process ends: nothing of it runs any more, and the browser releases its lock. */
    crash: (tab: string) => {
      frozen.add(tab)
      queue = queue.filter((one) => one.tab !== tab)
      if (holder?.tab === tab) releaseLock()
    },
    end: () => tabs.forEach((stop) => stop()),
  }
}

let browser: ReturnType<typeof createBrowser>

beforeEach(() => {
  vi.useFakeTimers()
  browser = createBrowser()
})
afterEach(() => {
  browser.end()
  vi.useRealTimers()
})

const settle = () => vi.advanceTimersByTimeAsync(0)
const leads = (...tabs: { leadership: { isLeader: () => boolean } }[]) =>
  tabs.map((tab) => tab.leadership.isLeader())

it('one tab leads; when it closes or crashes, the next one leads at once', async () => {
  const [one, two, three] = [
    browser.open('one', true),
    browser.open('two', false),
    browser.open('three', false),
  ]
  await settle()
  expect(leads(one, two, three)).toEqual([true, false, false])
  one.leadership.stop()
  await settle()
  expect(leads(two, three)).toEqual([true, false])
  browser.crash('two')
  await settle()
  expect(leads(three)).toEqual([true])
})

it('a visible tab becomes the leader, unless the leader is visible', async () => {
  const [one, two] = [browser.open('one', true), browser.open('two', false)]
  await settle()
  two.show(true)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(leads(one, two)).toEqual([true, false])
  one.show(false)
  two.show(true)
  await settle()
  expect(leads(one, two)).toEqual([false, true])
})

it('a leader that does not respond for 1.5 s is replaced', async () => {
  const one = browser.open('one', false)
  await settle()
  browser.freeze('one')
  const two = browser.open('two', true)
  await vi.advanceTimersByTimeAsync(1_400)
  expect(leads(two)).toEqual([false])
  await vi.advanceTimersByTimeAsync(200)
  expect(leads(one, two)).toEqual([false, true])
  // Awake again, the first waits for its turn.
  two.leadership.stop()
  await settle()
  expect(leads(one)).toEqual([true])
})

it('a tab leads whose request is granted while it steals the lock', async () => {
  browser.delayGrants()
  const one = browser.open('one', true)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(leads(one)).toEqual([true])
})

it('every tab leads where the browser has no locks', () => {
  const page = { visibilityState: 'visible', addEventListener: () => {}, removeEventListener: () => {} }
  const channel = () => ({ postMessage: () => {}, addEventListener: () => {}, close: () => {} })
  const plain = { locks: undefined, channel, page } as unknown as Browser
  const one = createLeadership(
    'tabs',
    () => {},
    () => {},
    plain,
  )
  const two = createLeadership(
    'tabs',
    () => {},
    () => {},
    plain,
  )
  expect([one.isLeader(), two.isLeader()]).toEqual([true, true])
})

it('forwards messages between tabs', async () => {
  const [one, two] = [browser.open('one', true), browser.open('two', false)]
  one.leadership.post({ kind: 'signed-out' })
  await settle()
  expect(two.messages).toEqual([{ kind: 'signed-out' }])
})
