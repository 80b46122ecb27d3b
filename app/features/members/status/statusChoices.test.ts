import { expect, test } from 'vitest'
import { endOf } from './statusChoices.ts'

/** A moment of the reader's calendar: Wednesday the 18th is in the middle of a week. */
const at = (day: number, hour = 0, minute = 0) => new Date(2026, 10, day, hour, minute)
const wednesday = at(18, 14, 20)

test('short spans are counted from now', () => {
  expect(endOf('half', wednesday)).toBe(at(18, 14, 50).toISOString())
  expect(endOf('hour', wednesday)).toBe(at(18, 15, 20).toISOString())
  expect(endOf('four', at(18, 22))).toBe(at(19, 2).toISOString())
  expect(endOf('open', wednesday)).toBeNull()
})

test('long ones end with the reader’s day, morning or week', () => {
  expect(endOf('day', wednesday)).toBe(at(19).toISOString())
  expect(endOf('morning', wednesday)).toBe(at(19, 9).toISOString())
  // Asked for in the small hours, tomorrow is still the next day.
  expect(endOf('morning', at(18, 2))).toBe(at(19, 9).toISOString())
  expect(endOf('week', wednesday)).toBe(at(23).toISOString())
  expect(endOf('week', at(22, 23))).toBe(at(23).toISOString())
  expect(endOf('week', at(23))).toBe(at(30).toISOString())
})
