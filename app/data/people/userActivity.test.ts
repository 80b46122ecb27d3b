import { expect, test } from 'vitest'
import { createUserActivity } from './userActivity.ts'

const MINUTE = 60_000

/** Tabs of one account beside each other: a clock, and storage whose changes the others hear of. */
function desk() {
  let now = 1_000_000
  const kept = new Map<string, string>()
  const pages = new Set<EventTarget>()
  const dispatchStorage = (from: EventTarget, key: string, newValue: string | null) => {
    for (const page of pages) {
      if (page !== from) page.dispatchEvent(Object.assign(new Event('storage'), { key, newValue }))
    }
  }
  function tab() {
    const document = Object.assign(new EventTarget(), { visibilityState: 'visible' })
    const page = Object.assign(new EventTarget(), { document, localStorage: {} })
    page.localStorage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => {
        kept.set(key, value)
        dispatchStorage(page, key, value)
      },
      removeItem: (key: string) => {
        kept.delete(key)
        dispatchStorage(page, key, null)
      },
    }
    pages.add(page)
    let returns = 0
    const activity = createUserActivity({
      key: 'here',
      page: page as unknown as Window,
      clock: () => now,
      onReturn: () => {
        returns += 1
      },
    })
    return {
      activity,
      returns: () => returns,
      use: () => page.dispatchEvent(new Event('keydown')),
      show: (visible: boolean) => {
        document.visibilityState = visible ? 'visible' : 'hidden'
        document.dispatchEvent(new Event('visibilitychange'))
      },
    }
  }
  return {
    tab,
    wait: (ms: number) => {
      now += ms
    },
  }
}

test('ten minutes without input are away, and the first input after them is published at once', () => {
  const { tab, wait } = desk()
  const one = tab()
  expect(one.activity.isActive()).toBe(true)
  wait(10 * MINUTE - 1)
  expect(one.activity.isActive()).toBe(true)
  wait(1)
  expect(one.activity.isActive()).toBe(false)
  expect(one.returns()).toBe(0)
  one.use()
  expect(one.activity.isActive()).toBe(true)
  expect(one.returns()).toBe(1)
  one.use()
  expect(one.returns()).toBe(1)
})

test('a hidden tab is away, unless another is looked at', () => {
  const { tab, wait } = desk()
  const one = tab()
  const other = tab()
  one.show(false)
  expect(one.activity.isActive()).toBe(true)
  // The one in front only needs to be read for the hidden one to agree.
  for (let minute = 0; minute < 9; minute++) {
    wait(MINUTE)
    expect(other.activity.isActive()).toBe(true)
    expect(one.activity.isActive()).toBe(true)
  }
  wait(MINUTE)
  expect([one.activity.isActive(), other.activity.isActive()]).toEqual([false, false])
  other.use()
  expect([one.activity.isActive(), other.activity.isActive()]).toEqual([true, true])
  other.show(false)
  expect([one.activity.isActive(), other.activity.isActive()]).toEqual([false, false])
  one.show(true)
  expect([one.activity.isActive(), other.activity.isActive()]).toEqual([true, true])
})

test('a tab that crashed counts as active only until its timestamp expires', () => {
  const { tab, wait } = desk()
  const gone = tab()
  const hidden = tab()
  hidden.show(false)
  gone.use()
  gone.activity.stop()
  wait(2 * MINUTE)
  expect(hidden.activity.isActive()).toBe(false)
})
