import { expect, it } from 'vitest'
import { ChangeQueue } from './ChangeQueue.ts'
import type { LoggedChange } from './loggedChange.ts'

function change(bytes = 10): LoggedChange {
  const relation = { id: 1, schema: 's', name: 't', identity: 'default' as const, columns: [] }
  return { relation, event: 'INSERT', committedAt: '', transaction: 7, row: [], old: null, bytes }
}

/** A queue whose batches are worked at when told so, and what it did. */
function slowQueue(): { queue: ChangeQueue; batches: number[][]; did: string[]; goOn: () => Promise<void> } {
  const batches: number[][] = []
  const did: string[] = []
  let finish = (): void => {}
  let begun = (): void => {}
  const queue = new ChangeQueue({
    work(batch) {
      batches.push(batch.map(({ number }) => number))
      begun()
      return new Promise((resolve) => (finish = resolve))
    },
    hold: () => did.push('hold'),
    release: () => did.push('release'),
  })
  const next = (): Promise<void> => new Promise((resolve) => (begun = resolve))
  return {
    queue,
    batches,
    did,
    /** Ends the batch at work; resolves once the next has begun. */
    async goOn() {
      const beginning = next()
      finish()
      await beginning
    },
  }
}

const count = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at)

it('works at what arrived together in one batch, and at what came meanwhile in the next, in order', async () => {
  const { queue, batches, goOn } = slowQueue()
  for (let at = 0; at < 3; at++) queue.push(change())
  await goOn()
  for (let at = 0; at < 250; at++) queue.push(change())
  await goOn()
  await goOn()
  expect(batches).toEqual([count(0, 3), count(3, 203), count(203, 253)])
  expect(queue.length).toBe(0)
})

it('takes no more at once than 1 MB, but a larger change alone', async () => {
  const { queue, batches, goOn } = slowQueue()
  for (const bytes of [5_000_000, 600_000, 400_000, 600_000]) queue.push(change(bytes))
  await goOn()
  await goOn()
  await goOn()
  expect(batches).toEqual([[0], [1, 2], [3]])
})

it('holds the log back while too much waits, and lets it go on at half of that', async () => {
  const { queue, did, goOn } = slowQueue()
  for (let at = 0; at < 2_001; at++) queue.push(change())
  expect(did).toEqual(['hold'])
  for (let at = 0; at < 5; at++) await goOn()
  expect(queue.length).toBe(1_001)
  expect(did).toEqual(['hold'])
  await goOn()
  expect(did).toEqual(['hold', 'release'])
})

it('holds it back for large ones too, and forgets what waits when told', () => {
  const { queue, did } = slowQueue()
  for (let at = 0; at < 5; at++) queue.push(change(4_000_000))
  expect(did).toEqual(['hold'])
  queue.clear()
  expect([queue.length, did]).toEqual([0, ['hold', 'release']])
  expect(queue.next).toBe(5)
})
