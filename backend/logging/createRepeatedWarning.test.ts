import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createRepeatedWarning } from './createRepeatedWarning.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('logs the first occurrence at once, and later ones once a minute with their number', () => {
  const lines: unknown[] = []
  const warn = createRepeatedWarning(
    { warn: (event, fields) => lines.push([event, fields]) },
    'realtime.messages_dropped',
  )
  for (let n = 1; n <= 1_000; n++) warn(2, { topic: `${n}` })
  expect(lines).toEqual([['realtime.messages_dropped', { count: 2, topic: '1' }]])
  vi.advanceTimersByTime(60_000)
  expect(lines.slice(1)).toEqual([['realtime.messages_dropped', { count: 1_998, topic: '1000' }]])
  vi.advanceTimersByTime(600_000)
  expect(lines).toHaveLength(2)
  warn(1, { topic: 'later' })
  expect(lines.slice(2)).toEqual([['realtime.messages_dropped', { count: 1, topic: 'later' }]])
})
