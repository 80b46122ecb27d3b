import { expect, it } from 'vitest'
import { AuthError } from '../http/AuthError.ts'
import { createFairQueue } from './createFairQueue.ts'

/** A queue whose work ends when the test says so; `begun` and `refused` tell who has come to what. */
function startQueue(o: { atOnce: number; most: number }) {
  const queue = createFairQueue(o)
  const begun: string[] = []
  const refused: [name: string, status: number][] = []
  const ends: (() => void)[] = []
  return {
    begun,
    refused,
    ask(name: string, client: string, signal?: AbortSignal): void {
      const work = (): Promise<void> => {
        begun.push(name)
        return new Promise((resolve) => ends.push(resolve))
      }
      queue.run({ client, signal }, work).catch((error: unknown) => {
        refused.push([name, (error as AuthError).status])
      })
    },
    /** Ends what runs, the oldest first, and lets whoever is next begin. */
    async end(): Promise<void> {
      ends.shift()!()
      await settle()
    },
    settle,
  }
}

async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve()
}

it('runs no more at once than it may, however promptly the next one comes', async () => {
  const queue = startQueue({ atOnce: 2, most: 10 })
  for (const name of ['a', 'b', 'c', 'd']) queue.ask(name, '10.0.0.1')
  expect(queue.begun).toEqual(['a', 'b'])
  const ended = queue.end()
  // Between an end and the next beginning nobody slips in.
  queue.ask('e', '10.0.0.1')
  await ended
  expect(queue.begun).toEqual(['a', 'b', 'c'])
})

it('lets clients take turns', async () => {
  const queue = startQueue({ atOnce: 1, most: 10 })
  for (const name of ['a1', 'a2', 'a3', 'a4']) queue.ask(name, '10.0.0.1')
  queue.ask('b1', '10.0.0.2')
  queue.ask('c1', '10.0.0.3')
  queue.ask('b2', '10.0.0.2')
  for (let i = 0; i < 6; i++) await queue.end()
  expect(queue.begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
})

it('turns away the last of the longest line where it is full', async () => {
  const queue = startQueue({ atOnce: 1, most: 3 })
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) queue.ask(name, '10.0.0.1')
  await settle()
  expect(queue.refused).toEqual([['a5', 429]])
  queue.ask('b1', '10.0.0.2')
  await settle()
  expect(queue.refused).toEqual([
    ['a5', 429],
    ['a4', 429],
  ])
  queue.ask('b2', '10.0.0.2')
  await settle()
  // Both have two: it is whoever comes that has to go.
  expect(queue.refused.at(-1)).toEqual(['b2', 429])
  for (let i = 0; i < 3; i++) await queue.end()
  expect(queue.begun).toEqual(['a1', 'a2', 'b1', 'a3'])
})

it('counts a subscriber of IPv6 as one client', async () => {
  const queue = startQueue({ atOnce: 1, most: 10 })
  queue.ask('x', '10.0.0.1')
  queue.ask('a1', '2001:db8::1')
  queue.ask('a2', '2001:db8::2')
  queue.ask('b1', '10.0.0.2')
  for (let i = 0; i < 3; i++) await queue.end()
  expect(queue.begun).toEqual(['x', 'a1', 'b1', 'a2'])
})

it('forgets whoever leaves', async () => {
  const queue = startQueue({ atOnce: 1, most: 2 })
  const leaving = new AbortController()
  queue.ask('a', '10.0.0.1')
  queue.ask('b', '10.0.0.2', leaving.signal)
  queue.ask('c', '10.0.0.3')
  leaving.abort()
  queue.ask('d', '10.0.0.4', AbortSignal.abort())
  queue.ask('e', '10.0.0.5')
  await settle()
  expect(queue.refused.toSorted()).toEqual([
    ['b', 408],
    ['d', 408],
  ])
  for (let i = 0; i < 2; i++) await queue.end()
  expect(queue.begun).toEqual(['a', 'c', 'e'])
})

it('goes on after work that fails', async () => {
  const queue = createFairQueue({ atOnce: 1, most: 2 })
  const turn = { client: '10.0.0.1' }
  await expect(queue.run(turn, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await queue.run(turn, () => Promise.resolve('fine'))).toBe('fine')
})
