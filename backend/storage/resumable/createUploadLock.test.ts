import { expect, test } from 'vitest'
import { createUploadLock } from './createUploadLock.ts'

test('a later request gets the lock after the holder releases it on request', async () => {
  const lock = createUploadLock()
  const events: string[] = []
  const first = await lock.acquire(() => events.push('first'))
  expect(events).toEqual([])
  const second = lock
    .acquire(() => events.push('second'))
    .then((unlock) => {
      events.push('second has it')
      return unlock
    })
  expect(events).toEqual(['first'])
  first()
  // Once more is nothing: the lock is somebody else's by now.
  first()
  const unlock = await second
  expect(events).toEqual(['first', 'second has it'])
  expect(lock.isHeld()).toBe(true)
  unlock()
  expect(lock.isHeld()).toBe(false)
})

test('a holder that does not release it keeps the lock, and later waiters are unaffected', async () => {
  const lock = createUploadLock(1)
  const unlock = await lock.acquire(() => {})
  await expect(lock.acquire(() => {})).rejects.toMatchObject({ statusCode: 423, code: 'ResourceLocked' })
  const next = lock.acquire(() => {})
  unlock()
  ;(await next)()
  expect(lock.isHeld()).toBe(false)
})

test('a new holder is requested to release it at once while others wait', async () => {
  const lock = createUploadLock()
  const events: string[] = []
  const unlock = await lock.acquire(() => {})
  const second = lock.acquire(() => events.push('second'))
  const third = lock.acquire(() => events.push('third'))
  unlock()
  ;(await second)()
  expect(events).toEqual(['second'])
  ;(await third)()
  expect(events).toEqual(['second'])
})
