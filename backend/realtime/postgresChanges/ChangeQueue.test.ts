import { expect, it } from 'vitest'
import { ChangeQueue } from './ChangeQueue.ts'
import type { WalChange } from './walChange.ts'

function change(bytes = 10): WalChange {
  const relation = { id: 1, schema: 's', name: 't', identity: 'default' as const, columns: [] }
  return { relation, event: 'INSERT', committedAt: '', transaction: 7, row: [], old: null, bytes }
}

/** A queue whose batches are worked at when told so, and what it did. */
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
    /** Ends the batch at work; resolves once the next has begun. */
    async finishBatch() {
      const beginning = next()
      finish()
      await beginning
    },
  }
}

const count = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at)

it('works at what arrived together in one batch, and at what came meanwhile in the next, in order', async () => {
  const { queue, batches, finishBatch } = slowQueue()
  for (let at = 0; at < 3; at++) queue.push(change())
  await finishBatch()
  for (let at = 0; at < 250; at++) queue.push(change())
  await finishBatch()
  await finishBatch()
  expect(batches).toEqual([count(0, 3), count(3, 203), count(203, 253)])
  expect(queue.length).toBe(0)
})

it('takes no more at once than 1 MB, but a larger change alone', async () => {
  const { queue, batches, finishBatch } = slowQueue()
  for (const bytes of [5_000_000, 600_000, 400_000, 600_000]) queue.push(change(bytes))
  await finishBatch()
  await finishBatch()
  await finishBatch()
  expect(batches).toEqual([[0], [1, 2], [3]])
})

it('holds the log back while too much waits, and lets it go on at half of that', async () => {
  const { queue, calls, finishBatch } = slowQueue()
  for (let at = 0; at < 2_001; at++) queue.push(change())
  expect(calls).toEqual(['hold'])
  for (let at = 0; at < 5; at++) await finishBatch()
  expect(queue.length).toBe(1_001)
  expect(calls).toEqual(['hold'])
  await finishBatch()
  expect(calls).toEqual(['hold', 'release'])
})

it('holds it back for large ones too, and forgets what waits when told', () => {
  const { queue, calls } = slowQueue()
  for (let at = 0; at < 5; at++) queue.push(change(4_000_000))
  expect(calls).toEqual(['hold'])
  queue.clear()
  expect([queue.length, calls]).toEqual([0, ['hold', 'release']])
  expect(queue.next).toBe(5)
})
