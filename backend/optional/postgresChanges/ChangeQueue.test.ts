import { expect, it } from 'vitest'
import { ChangeQueue } from './ChangeQueue.ts'
import type { WalChange } from './walChange.ts'

function change(bytes = 10): WalChange {
  const relation = { id: 1, schema: 's', name: 't', identity: 'default' as const, columns: [] }
  return { relation, event: 'INSERT', committedAt: '', row: [], old: null, bytes }
}

/** A queue whose batches end on command, and its calls. */
function slowQueue(): {
  queue: ChangeQueue
  batches: number[][]
  calls: string[]
  finishBatch: () => Promise<void>
} {
  const batches: number[][] = []
  const calls: string[] = []
  let finish = (): void => {}
  let onBatch = (): void => {}
  const queue = new ChangeQueue({
    work(batch) {
      batches.push(batch.map(({ number }) => number))
      onBatch()
      return new Promise((resolve) => (finish = resolve))
    },
    pause: () => calls.push('hold'),
    resume: () => calls.push('release'),
  })
  const next = (): Promise<void> => new Promise((resolve) => (onBatch = resolve))
  return {
    queue,
    batches,
    calls,
    /** Ends the current batch; resolves once the next has started. */
    async finishBatch() {
      const beginning = next()
      finish()
      await beginning
    },
  }
}

const count = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at)

it('processes changes that arrive together in one batch, and later ones in the next, in order', async () => {
  const { queue, batches, finishBatch } = slowQueue()
  for (let at = 0; at < 3; at++) queue.push(change())
  await finishBatch()
  for (let at = 0; at < 250; at++) queue.push(change())
  await finishBatch()
  await finishBatch()
  expect(batches).toEqual([count(0, 3), count(3, 203), count(203, 253)])
  expect(queue.length).toBe(0)
})

it('limits a batch to 1 MB, except for a single larger change', async () => {
  const { queue, batches, finishBatch } = slowQueue()
  for (const bytes of [5_000_000, 600_000, 400_000, 600_000]) queue.push(change(bytes))
  await finishBatch()
  await finishBatch()
  await finishBatch()
  expect(batches).toEqual([[0], [1, 2], [3]])
})

it('pauses reading while too many changes wait, and resumes at half of that', async () => {
  const { queue, calls, finishBatch } = slowQueue()
  for (let at = 0; at < 2_001; at++) queue.push(change())
  expect(calls).toEqual(['hold'])
  for (let at = 0; at < 5; at++) await finishBatch()
  expect(queue.length).toBe(1_001)
  expect(calls).toEqual(['hold'])
  await finishBatch()
  expect(calls).toEqual(['hold', 'release'])
})

it('pauses for large changes too, and drops all waiting changes on clear', () => {
  const { queue, calls } = slowQueue()
  for (let at = 0; at < 5; at++) queue.push(change(4_000_000))
  expect(calls).toEqual(['hold'])
  queue.clear()
  expect([queue.length, calls]).toEqual([0, ['hold', 'release']])
  expect(queue.next).toBe(5)
})
