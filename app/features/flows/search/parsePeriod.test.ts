import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parsePeriod, type CalendarContext } from './parsePeriod.ts'

/** A Monday. */
const context: CalendarContext = { now: new Date(2026, 10, 23, 14, 5), isDayFirst: true, firstWeekday: 1 }

const written = (date: Date) =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].join('-') +
  (date.getHours() + date.getMinutes() === 0 ? '' : ' not midnight')

const period = (value: string, change: Partial<CalendarContext> = {}) => {
  const found = parsePeriod(value, { ...context, ...change })
  return found && `${written(found.start)} ${written(found.end)}`
}

describe('periods', () => {
  const cases: [value: string, expected: string | null][] = [
    ['today', '2026-11-23 2026-11-24'],
    ['Heute', '2026-11-23 2026-11-24'],
    ['yesterday', '2026-11-22 2026-11-23'],
    ['gestern', '2026-11-22 2026-11-23'],
    ['vorgestern', '2026-11-21 2026-11-22'],
    ['monday', '2026-11-23 2026-11-24'],
    ['tue', '2026-11-17 2026-11-18'],
    ['Sonntag', '2026-11-22 2026-11-23'],
    ['this week', '2026-11-23 2026-11-30'],
    ['last week', '2026-11-16 2026-11-23'],
    ['last-week', '2026-11-16 2026-11-23'],
    ['letzte Woche', '2026-11-16 2026-11-23'],
    ['diesen Monat', '2026-11-1 2026-12-1'],
    ['dieser Monat', '2026-11-1 2026-12-1'],
    ['last month', '2026-10-1 2026-11-1'],
    ['last year', '2025-1-1 2026-1-1'],
    ['last 7 days', '2026-11-17 2026-11-24'],
    ['letzte 2 Wochen', '2026-11-10 2026-11-24'],
    ['last 1 month', '2026-10-24 2026-11-24'],
    ['last 0 days', null],
    ['march', '2026-3-1 2026-4-1'],
    ['März', '2026-3-1 2026-4-1'],
    ['dec', '2025-12-1 2026-1-1'],
    ['Dezember 2024', '2024-12-1 2025-1-1'],
    ['2026', '2026-1-1 2027-1-1'],
    ['2026-03', '2026-3-1 2026-4-1'],
    ['2026-12', '2026-12-1 2027-1-1'],
    ['2026-03-09', '2026-3-9 2026-3-10'],
    ['2024-02-29', '2024-2-29 2024-3-1'],
    ['2026-02-29', null],
    ['2026-13', null],
    ['9.3.', '2026-3-9 2026-3-10'],
    ['9.3.2026', '2026-3-9 2026-3-10'],
    ['31.12.25', '2025-12-31 2026-1-1'],
    ['3/2026', '2026-3-1 2026-4-1'],
    ['9/3/2026', '2026-3-9 2026-3-10'],
    ['0000', null],
    ['9999-01', null],
    ['someday', null],
    ['', null],
    ['last', null],
  ]
  test.each(cases)('%s', (value, expected) => {
    expect(period(value)).toBe(expected)
  })
})

test('the order of day and month, and the first day of a week, follow the region', () => {
  expect(period('9/3/2026', { isDayFirst: false })).toBe('2026-9-3 2026-9-4')
  expect(period('this week', { firstWeekday: 0 })).toBe('2026-11-22 2026-11-29')
})

test('months back end at the last day of a shorter month', () => {
  const of = (now: Date, value: string) => period(value, { now })
  expect(of(new Date(2026, 2, 30, 15), 'last 1 month')).toBe('2026-3-1 2026-3-31')
  expect(of(new Date(2026, 2, 15, 15), 'last 1 month')).toBe('2026-2-16 2026-3-16')
  expect(of(new Date(2028, 1, 29, 15), 'last 1 year')).toBe('2027-3-1 2028-3-1')
})

describe('days on which clocks change', () => {
  const zone = process.env['TZ']
  beforeAll(() => {
    process.env['TZ'] = 'Europe/Berlin'
  })
  afterAll(() => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })
  test('have 23 or 25 hours', () => {
    const hours = (value: string) => {
      const found = parsePeriod(value, context)
      return found && (found.end.getTime() - found.start.getTime()) / 3_600_000
    }
    expect(hours('2026-03-29')).toBe(23)
    expect(hours('2026-10-25')).toBe(25)
    expect(parsePeriod('2026-07-01', context)?.start.toISOString()).toBe('2026-06-30T22:00:00.000Z')
  })
})
