import { expect, it } from 'vitest'
import { createTaskQueue } from './createTaskQueue.ts'

/** A queue whose tasks end when the test ends them, with what happened to each. */
function startQueue(o: {
  maxConcurrent: number
  maxWaiting: number
  maxWaitMs?: number
  isShared?: boolean
}) {
  let time = 0
  const queue = createTaskQueue({
    ...o,
    now: () => time,
    errors: { full: () => new Error('full'), aborted: () => new Error('aborted') },
  })
  const started: string[] = []
  const rejected: string[] = []
  const ends: (() => void)[] = []
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 10; i++) await Promise.resolve()
  }
  return {
    started,
    rejected,
    settle,
    advance: (ms: number) => (time += ms),
    /** The first letter of a task's name is its caller. */
    run(name: string, signal?: AbortSignal): void {
      const work = (): Promise<void> => {
        started.push(name)
        return new Promise((resolve) => ends.push(resolve))
      }
      queue.run({ caller: name[0]!, signal }, work).catch((error: Error) => {
        rejected.push(`${name} ${error.message}`)
      })
    },
    /** Ends the oldest task that runs. */
    async end(): Promise<void> {
      ends.shift()!()
      await settle()
    },
  }
}

it('runs no more tasks at once than it may, also where one is added while another ends', async () => {
  const queue = startQueue({ maxConcurrent: 2, maxWaiting: 10 })
  for (const name of ['a', 'b', 'c', 'd']) queue.run(name)
  expect(queue.started).toEqual(['a', 'b'])
  const ended = queue.end()
  queue.run('e')
  await ended
  expect(queue.started).toEqual(['a', 'b', 'c'])
})

it('runs the tasks of callers in turn', async () => {
  const queue = startQueue({ maxConcurrent: 1, maxWaiting: 10 })
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) queue.run(name)
  for (let i = 0; i < 6; i++) await queue.end()
  expect(queue.started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
})

it('leaves a slot to others where callers share them', async () => {
  const queue = startQueue({ maxConcurrent: 4, maxWaiting: 10, isShared: true })
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1', 'd1']) queue.run(name)
  expect(queue.started).toEqual(['a1', 'a2', 'b1', 'c1'])
  await queue.end()
  expect(queue.started.slice(4)).toEqual(['d1'])
  for (let i = 0; i < 4; i++) await queue.end()
  expect(queue.started.slice(5).toSorted()).toEqual(['a3', 'a4', 'b2'])
})

it('rejects the last task of the caller with the most where it is full', async () => {
  const queue = startQueue({ maxConcurrent: 1, maxWaiting: 3 })
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) queue.run(name)
  await queue.settle()
  expect(queue.rejected).toEqual(['a5 full'])
  queue.run('b1')
  // Both would have two: the one that is added is rejected.
  queue.run('b2')
  await queue.settle()
  expect(queue.rejected).toEqual(['a5 full', 'a4 full', 'b2 full'])
  for (let i = 0; i < 3; i++) await queue.end()
  expect(queue.started).toEqual(['a1', 'a2', 'b1', 'a3'])
})

it('removes a task whose signal is aborted', async () => {
  const queue = startQueue({ maxConcurrent: 1, maxWaiting: 2 })
  const leaving = new AbortController()
  queue.run('a')
  queue.run('b', leaving.signal)
  queue.run('c')
  leaving.abort()
  queue.run('d', AbortSignal.abort())
  queue.run('e')
  await queue.settle()
  expect(queue.rejected.toSorted()).toEqual(['b aborted', 'd aborted'])
  for (let i = 0; i < 2; i++) await queue.end()
  expect(queue.started).toEqual(['a', 'c', 'e'])
})

it('does not run a task that waited too long, but the next one', async () => {
  const queue = startQueue({ maxConcurrent: 1, maxWaiting: 4, maxWaitMs: 100 })
  queue.run('a1')
  queue.run('a2')
  queue.advance(200)
  queue.run('b1')
  await queue.end()
  expect([queue.started, queue.rejected]).toEqual([['a1', 'b1'], ['a2 full']])
  await queue.end()
  queue.run('a3')
  expect(queue.started).toEqual(['a1', 'b1', 'a3'])
})

it('goes on after a task that fails', async () => {
  const errors = { full: () => new Error('full'), aborted: () => new Error('aborted') }
  const queue = createTaskQueue({ maxConcurrent: 1, maxWaiting: 2, errors })
  const failing = queue.run({ caller: 'a' }, () => Promise.reject(new Error('broken')))
  await expect(failing).rejects.toThrow('broken')
  expect(await queue.run({ caller: 'a' }, () => Promise.resolve('fine'))).toBe('fine')
})
