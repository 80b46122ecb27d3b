import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { lockData } from './dataLock.ts'

let dir = ''
const file = (): string => join(dir, 'linnet.lock')

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-lock-'))
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(dir, { recursive: true })
})

it('reports once that another process has taken over, and does not remove its lock', async () => {
  const onLost = vi.fn<() => void>()
  const lock = await lockData(dir, onLost)
  vi.advanceTimersByTime(10_000)
  lock.recordUrl('http://127.0.0.1:1')
  vi.advanceTimersByTime(10_000)
  expect(onLost).not.toHaveBeenCalled()
  const holder = JSON.parse(readFileSync(file(), 'utf8')) as object
  const other = JSON.stringify({ ...holder, host: 'another', since: '2030-01-01T00:00:00.000Z' })
  writeFileSync(file(), other)
  vi.advanceTimersByTime(10_000)
  expect(onLost).toHaveBeenCalledOnce()
  lock.recordUrl('http://127.0.0.1:2')
  lock.release()
  expect(readFileSync(file(), 'utf8')).toBe(other)
})

it('the lock file is removed when the lock is released', async () => {
  const lock = await lockData(dir)
  lock.release()
  expect(existsSync(file())).toBe(false)
})
