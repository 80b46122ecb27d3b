import { expect, test } from 'vitest'
import type { Member } from '../../../wire/people.ts'
import { createExpiryTimer } from './expiryTimer.ts'

const NOON = Date.parse('2026-11-21T12:00:00Z')

function member(id: string, ends: number | null): [string, Member] {
  const profile = {
    id,
    kind: 'person' as const,
    name: id,
    avatar: null,
    status_emoji: null,
    status_text: 'Lunch',
    status_expires_at: ends === null ? null : new Date(ends).toISOString(),
    presence: 'auto' as const,
    presence_until: null,
  }
  return [id, { profile, role: 'member', state: 'active' }]
}

/** A clock and a timer that the test advances. */
function createFixture(...people: [string, Member][]) {
  let now = NOON
  let members: ReadonlyMap<string, Member> = new Map(people)
  let changed = () => {}
  const timers = new Map<symbol, { at: number; run: () => void }>()
  let notifications = 0
  const expiries = createExpiryTimer({
    store: {
      get: () => ({ members }),
      subscribe: (listener) => {
        changed = listener
        return () => {
          changed = () => {}
        }
      },
    },
    clock: () => now,
    after: (ms, run) => {
      const key = Symbol('timer')
      timers.set(key, { at: now + ms, run })
      return () => timers.delete(key)
    },
    onExpired: () => {
      notifications += 1
    },
  })
  return {
    expiries,
    timers,
    notifications: () => notifications,
    setMembers: (...next: [string, Member][]) => {
      members = new Map(next)
      changed()
    },
    sleepUntil: (at: number) => {
      now = at
    },
    advanceTo: (until: number) => {
      now = until
      for (const [key, timer] of timers) {
        if (timer.at > until) continue
        timers.delete(key)
        timer.run()
      }
    },
  }
}

test('one timer for the nearest expiry; the next is set when it has fired', () => {
  const { expiries, timers, notifications, advanceTo } = createFixture(
    member('ann', NOON + 60_000),
    member('bea', NOON + 30_000),
  )
  expect(timers.size).toBe(1)
  advanceTo(NOON + 29_999)
  expect(notifications()).toBe(0)
  advanceTo(NOON + 30_000)
  expect([notifications(), expiries.version(), timers.size]).toEqual([1, 1, 1])
  advanceTo(NOON + 60_000)
  expect([notifications(), expiries.version(), timers.size]).toEqual([2, 2, 0])
})

test('a status that expires earlier moves the timer', () => {
  const { notifications, setMembers, advanceTo, timers } = createFixture(member('ann', NOON + 60_000))
  setMembers(member('ann', NOON + 60_000), member('bea', NOON + 10_000))
  expect(timers.size).toBe(1)
  advanceTo(NOON + 10_000)
  expect(notifications()).toBe(1)
})

test('what expired while the machine slept is removed on waking, although its timer has not fired', () => {
  const { expiries, notifications, sleepUntil, timers } = createFixture(member('ann', NOON + 60_000))
  sleepUntil(NOON + 3_600_000)
  expiries.check()
  expect([notifications(), timers.size]).toEqual([1, 0])
})

test('an expiry beyond the maximum delay of timers is awaited in steps', () => {
  const far = NOON + 60 * 86_400_000
  const { notifications, advanceTo, timers } = createFixture(member('ann', far))
  advanceTo(NOON + 2 ** 31 - 1)
  expect([notifications(), timers.size]).toEqual([0, 1])
  advanceTo(NOON + 2 * (2 ** 31 - 1))
  advanceTo(far)
  expect(notifications()).toBe(1)
})

test('no timer runs after it is stopped', () => {
  const { expiries, timers } = createFixture(member('ann', NOON + 60_000))
  expiries.stop()
  expect(timers.size).toBe(0)
})
