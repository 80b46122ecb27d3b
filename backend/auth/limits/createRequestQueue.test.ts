import { expect, it } from 'vitest'
import type { AuthError } from '../http/AuthError.ts'
import { createRequestQueue } from './createRequestQueue.ts'

it('counts an IPv6 network as one client, and rejects with errors of the API', async () => {
  const queue = createRequestQueue({ maxConcurrent: 1, maxWaiting: 2 })
  const started: string[] = []
  const rejected: [name: string, status: number, retryAfter: number | null][] = []
  const ends: (() => void)[] = []
  const run = (name: string, client: string, signal?: AbortSignal): void => {
    const work = (): Promise<void> => {
      started.push(name)
      return new Promise((resolve) => ends.push(resolve))
    }
    queue.run({ client, signal }, work).catch(({ status, retryAfter }: AuthError) => {
      rejected.push([name, status, retryAfter])
    })
  }
  run('x', '10.0.0.1')
  run('a1', '2001:db8::1')
  run('a2', '2001:db8::2')
  run('b1', '10.0.0.2')
  run('c1', '10.0.0.3', AbortSignal.abort())
  await expect
    .poll(() => rejected.toSorted())
    .toEqual([
      ['a2', 429, 1],
      ['c1', 408, null],
    ])
  for (const count of [2, 3]) {
    ends.shift()!()
    await expect.poll(() => started).toHaveLength(count)
  }
  expect(started).toEqual(['x', 'a1', 'b1'])
})
