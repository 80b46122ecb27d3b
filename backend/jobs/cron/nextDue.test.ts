import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextDue } from './nextDue.ts'
import { parseSchedule, type CalendarSchedule } from './parseSchedule.ts'
import { openTimeZone } from './openTimeZone.ts'

const minuteMs = 60_000
const zones = ['GMT', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/St_Johns'] as const
const opened = new Map(zones.map((name) => [name, openTimeZone(name)]))

/** Cached, since each minute is needed often. */
const offsets = new Map(
  Array.from(opened, ([name, zone]): [string, (at: number) => number] => {
    const cache = new Map<number, number>()
    return [
      name,
      (at) => {
        const offset = cache.get(at) ?? zone.offsetAt(at)
        cache.set(at, offset)
        return offset
      },
    ]
  }),
)

const calendar = (text: string): CalendarSchedule => parseSchedule(text) as CalendarSchedule
const dues = (text: string, zone: (typeof zones)[number], from: string, to: string): string[] => {
  const found: string[] = []
  for (let at = Date.parse(from) - 1; ;) {
    const next = nextDue(calendar(text), at, opened.get(zone)!)
    if (next === null || next > Date.parse(to)) return found
    found.push(new Date(next).toISOString().slice(0, 16))
    at = next
  }
}

/** Whether a minute of local time belongs to a schedule. */
function matches(schedule: CalendarSchedule, shown: number): boolean {
  const at = new Date(shown)
  if (!schedule.minutes[at.getUTCMinutes()] || !schedule.hours[at.getUTCHours()]) return false
  if (!schedule.months[at.getUTCMonth() + 1]) return false
  const isLast = new Date(shown + 86_400_000).getUTCDate() === 1
  const day = schedule.days[at.getUTCDate()] === true || (schedule.lastDay && isLast)
  const weekday = schedule.weekdays[at.getUTCDay()] === true
  return schedule.bothDays ? day && weekday : day || weekday
}

/** The reference: steps from minute to minute, with those of local time that are skipped or repeated. */
function nextDueByMinutes(
  schedule: CalendarSchedule,
  after: number,
  zone: string,
  minutes: number,
): number | null {
  const offsetAt = offsets.get(zone)!
  const first = (Math.floor(after / minuteMs) + 1) * minuteMs
  for (let at = first; at < first + minutes * minuteMs; at += minuteMs) {
    const shown = at + offsetAt(at)
    const before = at - minuteMs + offsetAt(at - minuteMs)
    if (schedule.followsClock) {
      if (matches(schedule, shown)) return at
      continue
    }
    for (let leapt = before + minuteMs; leapt < shown; leapt += minuteMs)
      if (matches(schedule, leapt)) return at
    let isAgain = false
    for (let back = at - minuteMs; back >= at - 180 * minuteMs && !isAgain; back -= minuteMs) {
      isAgain = back + offsetAt(back) === shown
    }
    if (!isAgain && matches(schedule, shown)) return at
  }
  return null
}

const field = (low: number, high: number): fc.Arbitrary<string> => {
  const number = fc.integer({ min: low, max: high })
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant('*') },
    { weight: 2, arbitrary: number.map(String) },
    fc.integer({ min: 1, max: high }).map((step) => `*/${step}`),
    fc.uniqueArray(number, { minLength: 2, maxLength: 4 }).map((list) => list.join(',')),
    fc.tuple(number, number).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
  )
}
const expression = fc
  .tuple(
    field(0, 59),
    fc.oneof(field(0, 23), fc.constantFrom('1', '2', '3', '0-4')),
    fc.oneof(field(1, 31), fc.constant('$')),
    fc.constant('*'),
    field(0, 7),
  )
  .map((fields) => fields.join(' '))
/** Changes of clocks in these zones, and days far from any. */
const around = fc.constantFrom(
  '2026-03-29T01:00Z',
  '2026-10-25T01:00Z',
  '2026-03-08T07:00Z',
  '2026-11-01T06:00Z',
  '2026-04-04T15:00Z',
  '2026-10-03T15:30Z',
  // Until 2011 Newfoundland changed at a minute past midnight: an hour of the day before came again.
  '2010-11-07T02:31Z',
  '2010-03-14T03:31Z',
  '2026-06-15T12:00Z',
  '2024-02-29T23:59Z',
)

/** Minutes searched. */
const span = 2 * 24 * 60

describe('equals a search from minute to minute', () => {
  it.each(zones)('in %s', (name) => {
    fc.assert(
      fc.property(
        expression,
        around,
        fc.integer({ min: -1800, max: 300 }),
        fc.integer({ min: 0, max: minuteMs - 1 }),
        (text, moment, minutes, ms) => {
          const after = Date.parse(moment) + minutes * minuteMs + ms
          const slow = nextDueByMinutes(calendar(text), after, name, span)
          const fast = nextDue(calendar(text), after, opened.get(name)!)
          expect(fast !== null && fast <= after + span * minuteMs ? fast : null).toBe(slow)
        },
      ),
      { numRuns: 40 },
    )
  })
})

describe('where clocks change', () => {
  it('runs a time of day that is skipped once, at the time of the change', () => {
    expect(dues('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', '2026-03-30T12:00Z')).toEqual([
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ])
    expect(dues('5,20,40 2 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00Z', '2026-10-03T18:00Z')).toEqual([
      '2026-10-03T15:30',
      '2026-10-03T15:40',
    ])
  })

  it('runs a time of day that is repeated at the first occurrence only', () => {
    expect(dues('30 1 * * *', 'America/New_York', '2026-11-01T00:00Z', '2026-11-02T12:00Z')).toEqual([
      '2026-11-01T05:30',
      '2026-11-02T06:30',
    ])
  })

  it('runs a schedule that starts with a star at each minute that the clock shows', () => {
    expect(dues('*/30 * * * *', 'Europe/Berlin', '2026-10-25T00:00Z', '2026-10-25T02:00Z')).toEqual([
      '2026-10-25T00:00',
      '2026-10-25T00:30',
      '2026-10-25T01:00',
      '2026-10-25T01:30',
      '2026-10-25T02:00',
    ])
    expect(dues('0 * * * *', 'Europe/Berlin', '2026-03-29T00:00Z', '2026-03-29T02:00Z')).toHaveLength(3)
  })
})

it('finds rare days, and returns null if there is none', () => {
  expect(dues('0 0 29 2 *', 'GMT', '2096-03-01T00:00Z', '2105-01-01T00:00Z')).toEqual(['2104-02-29T00:00'])
  expect(dues('0 12 $ 2 *', 'GMT', '2027-01-01T00:00Z', '2028-03-01T00:00Z')).toEqual([
    '2027-02-28T12:00',
    '2028-02-29T12:00',
  ])
  expect(nextDue(calendar('0 0 30 2 *'), 0, opened.get('GMT')!)).toBeNull()
})

it('refuses an unknown time zone', () => {
  expect(() => openTimeZone('Mars/Olympus')).toThrow(RangeError)
})
