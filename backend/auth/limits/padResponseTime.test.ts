import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { padResponseTime } from './padResponseTime.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const after = (ms: number, error?: Error) =>
  new Promise<string>((resolve, reject) => {
    setTimeout(() => (error ? reject(error) : resolve('done')), ms)
  })

it.each([
  [0, 50],
  [3, 50],
  [49, 50],
  [51, 100],
])('pads %i ms to %i', async (ms, whole) => {
  for (const error of [undefined, new Error('no')]) {
    const begun = performance.now()
    const ended = padResponseTime(() => after(ms, error)).then(
      () => performance.now() - begun,
      () => performance.now() - begun,
    )
    await vi.runAllTimersAsync()
    expect(await ended).toBe(whole)
  }
})
