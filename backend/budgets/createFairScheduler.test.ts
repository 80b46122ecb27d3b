import { expect, it } from 'vitest'
import { createFairScheduler, type CallerWork } from './createFairScheduler.ts'

/** Work of a number of parts, which records those that have run. */
function source(handled: string[], callerKey: string, name: string, frames: number): CallerWork {
  let left = frames
  return {
    callerKey,
    runNext() {
      handled.push(name)
      return --left > 0
    },
  }
}

it('handles frames round-robin by caller, and those of a caller round-robin by connection', async () => {
  const handled: string[] = []
  const scheduler = createFairScheduler()
  scheduler.add(source(handled, 'omar', 'o1', 3))
  scheduler.add(source(handled, 'omar', 'o2', 2))
  scheduler.add(source(handled, 'bea', 'b', 2))
  expect(handled).toEqual([])
  await expect.poll(() => handled.length).toBe(7)
  expect(handled.slice(0, 2)).toEqual(['o1', 'b'])
  expect(handled.lastIndexOf('b')).toBeLessThan(6)
  expect(handled.filter((name) => name.startsWith('o'))).toEqual(['o1', 'o2', 'o1', 'o2', 'o1'])
})

it('runs work that yields last, and as one of eight parts while other work waits', async () => {
  const handled: string[] = []
  const scheduler = createFairScheduler()
  scheduler.add({ ...source(handled, 'omar', 'o', 6), canYield: () => true })
  scheduler.add(source(handled, 'bea', 'b', 14))
  await expect.poll(() => handled.length).toBe(20)
  const batch = ['o', ...Array.from({ length: 7 }, () => 'b')]
  expect(handled).toEqual([...batch, ...batch, 'o', 'o', 'o', 'o'])
})

it('yields to the event loop between slices', async () => {
  const scheduler = createFairScheduler()
  const frames = { left: 50 }
  scheduler.add({
    callerKey: 'omar',
    runNext() {
      const until = performance.now() + 0.5
      while (performance.now() < until);
      return --frames.left > 0
    },
  })
  const remaining: number[] = []
  while (frames.left > 0) {
    await new Promise((resolve) => setImmediate(resolve))
    remaining.push(frames.left)
  }
  // At most the frames of one batch, and what fits into a slice, in each round.
  expect(remaining.length).toBeGreaterThan(4)
})
