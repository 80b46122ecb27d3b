import { expect, test } from 'vitest'
import { createUploadLock } from './createUploadLock.ts'

test('who comes later asks the holder to let go, and has it then', async () => {
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

test('one that does not let go keeps it, and the next waiter is unhurt', async () => {
  const lock = createUploadLock(1)
  const unlock = await lock.acquire(() => {})
  await expect(lock.acquire(() => {})).rejects.toMatchObject({ statusCode: 423, code: 'ResourceLocked' })
  const next = lock.acquire(() => {})
  unlock()
  ;(await next)()
  expect(lock.isHeld()).toBe(false)
})

test('who has it while others wait is asked at once', async () => {
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
