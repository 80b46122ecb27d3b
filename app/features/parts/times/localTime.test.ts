import { expect, test } from 'vitest'
import { atHour, formatTimeField, nextWeekday, parseTimeField } from './localTime.ts'

test('the next weekday is never today, and presets are at nine by the local clock', () => {
  const monday = new Date(2026, 10, 23, 21, 30)
  expect(nextWeekday(1, monday)).toEqual(new Date(2026, 10, 30, 9))
  expect(nextWeekday(2, monday)).toEqual(new Date(2026, 10, 24, 9))
  expect(nextWeekday(0, monday)).toEqual(new Date(2026, 10, 29, 9))
  expect(atHour(1, 9, new Date(2026, 11, 31, 23))).toEqual(new Date(2027, 0, 1, 9))
})

test('the value of a field is the local time', () => {
  const time = new Date(2026, 2, 1, 9, 5)
  expect(formatTimeField(time)).toBe('2026-03-01T09:05')
  expect(parseTimeField('2026-03-01T09:05')).toEqual(time)
  expect(parseTimeField('')).toBeNull()
  expect(parseTimeField('soon')).toBeNull()
})
