import { expect, it } from 'vitest'
import { createThread } from './createThread.ts'

it('runs calls in a thread and rejects with the message of an error', async () => {
  const thread = createThread<number, number>(
    '(n) => { if (n < 0) throw new Error(`below ${n}`); return n * 2 }',
  )
  expect(await Promise.all([thread.run(1), thread.run(2)])).toEqual([2, 4])
  await expect(thread.run(-1)).rejects.toThrow('below -1')
})

it('rejects later calls of a session whose thread has failed, and starts another for new ones', async () => {
  const thread = createThread<string, number>(
    `(() => {
      let calls = 0
      return (what) => {
        if (what === 'fail') setImmediate(() => { throw new Error('failed') })
        return ++calls
      }
    })()`,
  )
  const session = thread.open()
  expect([await session.run('a'), await session.run('b')]).toEqual([1, 2])
  // The thread may end before its result arrives.
  await session.run('fail').catch(() => {})
  await expect.poll(() => session.run('c').then(String, (error: Error) => error.message)).toBe('failed')
  session.close()
  expect(await thread.run('d')).toBe(1)
})
