import { expect, it } from 'vitest'
import { createCommitQueue, type CommitQueue } from './commitQueue.ts'
import type { Snapshot } from './snapshot.ts'

const begin = (transaction: number): Buffer => {
  const data = Buffer.alloc(21)
  data.write('B')
  data.writeUInt32BE(transaction, 17)
  return data
}
const row = (text: string): Buffer => Buffer.from(`I${text}`)

interface Fixture {
  queue: CommitQueue
  /** What was delivered: the IDs of transactions, rows, positions, and whether the queue is full. */
  events: unknown[]
  pendingQueries(): number
  /** Responds to the query with a snapshot before `next` in which these were open; without one the query fails. */
  respond(next?: number | bigint, ...open: number[]): Promise<void>
}

function createFixture(): Fixture {
  const events: unknown[] = []
  const queries: { resolve: (snapshot: Snapshot) => void; reject: (error: Error) => void }[] = []
  const queue = createCommitQueue({
    readSnapshot: () => new Promise((resolve, reject) => queries.push({ resolve, reject })),
    deliver: (data) => events.push(data[0] === 0x42 ? data.readUInt32BE(17) : data.toString('utf8', 1, 9)),
    onPositionReached: (position) => events.push(position),
    onFull: (isFull) => events.push(isFull),
    onFailed: ({ message }) => events.push(message),
  })
  return {
    queue,
    events,
    pendingQueries: () => queries.length,
    async respond(next, ...open) {
      const query = queries.shift()!
      if (next === undefined) query.reject(new Error('unavailable'))
      else {
        const ids = new Set(open.map(BigInt))
        query.resolve({ next: BigInt(next), oldest: 0n, open: ids, position: 0n })
      }
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

it('delivers what one snapshot contains, in order, and queries again for the rest', async () => {
  const { queue, events, pendingQueries, respond } = createFixture()
  for (const data of [begin(7), row('a'), begin(9), row('b'), begin(8), row('c')]) queue.add(data)
  expect([events, pendingQueries()]).toEqual([[], 1])
  await respond(10, 9)
  expect([events, pendingQueries()]).toEqual([[7, 'a'], 1])
  queue.add(row('d'))
  await respond(10)
  expect([events, pendingQueries()]).toEqual([[7, 'a', 9, 'b', 8, 'c', 'd'], 0])
})

it('delivers at once what the last snapshot contains, and further rows of a visible transaction', async () => {
  const { queue, events, pendingQueries, respond } = createFixture()
  queue.add(begin(7))
  await respond(9)
  for (const data of [row('a'), begin(8), row('b'), begin(9)]) queue.add(data)
  expect([events, pendingQueries()]).toEqual([[7, 'a', 8, 'b'], 1])
})

it('queries again while a transaction is not visible', async () => {
  const { queue, events, pendingQueries, respond } = createFixture()
  queue.add(begin(7))
  await respond(7)
  await expect.poll(pendingQueries).toBe(1)
  await respond(8, 7)
  await expect.poll(pendingQueries).toBe(1)
  expect(events).toEqual([])
  await respond(8)
  expect(events).toEqual([7])
})

it('delivers nothing after a failed query', async () => {
  const { queue, events, pendingQueries, respond } = createFixture()
  queue.add(begin(7))
  await respond()
  queue.add(row('a'))
  expect([events, pendingQueries()]).toEqual([['unavailable'], 0])
})

it('compares transactions from before and after the low bits of IDs started again', async () => {
  const { queue, events, respond } = createFixture()
  queue.add(begin(2 ** 32 - 1))
  queue.add(begin(3))
  await respond(2n ** 32n + 3n)
  expect(events).toEqual([2 ** 32 - 1])
  await respond(2n ** 32n + 4n)
  expect(events).toEqual([2 ** 32 - 1, 3])
})

it('copies what waits, and reports positions once all before them was delivered', async () => {
  const { queue, events, respond } = createFixture()
  queue.advanceTo(50n)
  queue.add(begin(7))
  const data = row('a')
  queue.add(data)
  data.fill(0)
  queue.advanceTo(60n)
  await respond(8)
  queue.advanceTo(70n)
  expect(events).toEqual([50n, 7, 'a', 70n])
})

it('is full until half of what may wait was delivered, and delivers nothing once it is closed', async () => {
  const { queue, events, pendingQueries, respond } = createFixture()
  queue.add(begin(7))
  queue.add(row('a'.repeat(70_000)))
  queue.add(row('b'.repeat(70_000)))
  expect(events).toEqual([true])
  await respond(8)
  expect(events).toEqual([true, 7, 'aaaaaaaa', 'bbbbbbbb', false])
  queue.add(begin(8))
  queue.close()
  await respond(9)
  expect([events.length, pendingQueries()]).toEqual([5, 0])
})
