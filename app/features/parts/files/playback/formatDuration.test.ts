import { expect, test } from 'vitest'
import { formatDuration } from './formatDuration.ts'

test.each([
  [0, '0:00'],
  [7.9, '0:07'],
  [750, '12:30'],
  [3723, '1:02:03'],
  [Number.POSITIVE_INFINITY, ''],
  [Number.NaN, ''],
])('%s seconds are "%s"', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text)
})
