import { expect, test } from 'vitest'
import { hasStatus, nearestExpiry, presenceOf, presenceChoice } from './presence.ts'

const NOON = Date.parse('2026-11-21T12:00:00Z')
const one = '2026-11-21T13:00:00Z'
const eleven = '2026-11-21T11:00:00Z'
const nothing = { status_emoji: null, status_text: null, status_expires_at: null }

const choice = (presence: 'auto' | 'away' | 'dnd', presence_until: string | null = null) => ({
  presence,
  presence_until,
})

test('heartbeats decide, unless a presence was chosen', () => {
  for (const beat of ['active', 'away', 'offline'] as const) {
    expect(presenceOf(choice('auto'), beat, NOON)).toBe(beat)
    expect(presenceOf(undefined, beat, NOON)).toBe(beat)
    expect(presenceOf(choice('dnd'), beat, NOON)).toBe('dnd')
  }
  expect(presenceOf(choice('away'), 'active', NOON)).toBe('away')
  expect(presenceOf(choice('away'), 'offline', NOON)).toBe('offline')
})

test('a choice ends with its moment, not after', () => {
  expect(presenceChoice(choice('dnd', one), NOON)).toBe('dnd')
  expect(presenceChoice(choice('dnd', one), Date.parse(one) - 1)).toBe('dnd')
  expect(presenceChoice(choice('dnd', one), Date.parse(one))).toBe('auto')
  expect(presenceOf(choice('dnd', eleven), 'active', NOON)).toBe('active')
  // A heartbeat's value from before the end does not extend the choice.
  expect(presenceOf(choice('dnd', eleven), 'dnd', NOON)).toBe('active')
})

test('a status has text or an emoji, and has not expired', () => {
  expect(hasStatus(nothing, NOON)).toBe(false)
  expect(hasStatus({ ...nothing, status_emoji: '🌴' }, NOON)).toBe(true)
  expect(hasStatus({ ...nothing, status_text: 'In surgery', status_expires_at: one }, NOON)).toBe(true)
  expect(hasStatus({ ...nothing, status_text: 'In surgery', status_expires_at: eleven }, NOON)).toBe(false)
})

test('the nearest end counts, and what has ended does not', () => {
  const ann = { ...choice('dnd', one), ...nothing }
  const bea = {
    ...choice('auto'),
    ...nothing,
    status_text: 'Lunch',
    status_expires_at: '2026-11-21T12:30:00Z',
  }
  const gus = { ...choice('away', eleven), ...nothing }
  expect(nearestExpiry([ann, bea, gus], NOON)).toBe(Date.parse('2026-11-21T12:30:00Z'))
  expect(nearestExpiry([ann, bea, gus], Date.parse('2026-11-21T12:30:00Z'))).toBe(Date.parse(one))
  expect(nearestExpiry([gus], NOON)).toBeNull()
  expect(nearestExpiry([], NOON)).toBeNull()
})
