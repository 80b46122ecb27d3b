import { expect, test } from 'vitest'
import { formatDayField, parseDay, startOfDayAgo } from './localDay.ts'

test('a day is read as its start in the time zone of the reader', () => {
  expect(parseDay('2026-11-03')).toEqual(new Date(2026, 10, 3))
  expect(formatDayField(new Date(2026, 10, 3, 23, 59))).toBe('2026-11-03')
})

test('what is no day is refused', () => {
  for (const text of [
    '',
    'monday',
    '2026-02-30',
    '2026-13-01',
    '0026-01-01',
    '2026-11-3',
    '2026-11-03T10:00',
  ])
    expect([text, parseDay(text)]).toEqual([text, null])
})

test('a month ago is the last day of a shorter month', () => {
  const now = new Date(2026, 2, 31, 9, 30)
  expect(startOfDayAgo(0, 0, now)).toEqual(new Date(2026, 2, 31))
  expect(startOfDayAgo(1, 0, now)).toEqual(new Date(2026, 2, 30))
  expect(startOfDayAgo(7, 0, new Date(2026, 0, 3))).toEqual(new Date(2025, 11, 27))
  expect(startOfDayAgo(0, 1, now)).toEqual(new Date(2026, 1, 28))
  expect(startOfDayAgo(0, 1, new Date(2026, 0, 15))).toEqual(new Date(2025, 11, 15))
})
