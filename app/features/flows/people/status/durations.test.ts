import { expect, test } from 'vitest'
import { endOf } from './durations.ts'

/** A moment in the local time zone: Wednesday the 18th is in the middle of a week. */
const at = (day: number, hour = 0, minute = 0) => new Date(2026, 10, day, hour, minute)
const wednesday = at(18, 14, 20)

test('short durations are counted from now', () => {
  expect(endOf('half', wednesday)).toBe(at(18, 14, 50).toISOString())
  expect(endOf('hour', wednesday)).toBe(at(18, 15, 20).toISOString())
  expect(endOf('four', at(18, 22))).toBe(at(19, 2).toISOString())
  expect(endOf('open', wednesday)).toBeNull()
})

test('long durations end with the local day, morning or week', () => {
  expect(endOf('day', wednesday)).toBe(at(19).toISOString())
  expect(endOf('morning', wednesday)).toBe(at(19, 9).toISOString())
  // Shortly after midnight, tomorrow is still the next day.
  expect(endOf('morning', at(18, 2))).toBe(at(19, 9).toISOString())
  expect(endOf('week', wednesday)).toBe(at(23).toISOString())
  expect(endOf('week', at(22, 23))).toBe(at(23).toISOString())
  expect(endOf('week', at(23))).toBe(at(30).toISOString())
})
