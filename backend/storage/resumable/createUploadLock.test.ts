import { expect, test } from 'vitest'
import { createUploadLock } from './createUploadLock.ts'

test('a later request gets the lock after the holder releases it on request', async () => {
  const lock = createUploadLock()
  const told: string[] = []
  const first = await lock.acquire(() => told.push('first'))
  expect(told).toEqual([])
  const second = lock
    .acquire(() => told.push('second'))
    .then((unlock) => {
      told.push('second has it')
      return unlock
    })
  expect(told).toEqual(['first'])
  first()
  // Once more is nothing: the lock is somebody else's by now.
  first()
  const unlock = await second
  expect(told).toEqual(['first', 'second has it'])
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
  const told: string[] = []
  const unlock = await lock.acquire(() => {})
  const second = lock.acquire(() => told.push('second'))
  const third = lock.acquire(() => told.push('third'))
  unlock()
  ;(await second)()
  expect(told).toEqual(['second'])
  ;(await third)()
  expect(told).toEqual(['second'])
})
