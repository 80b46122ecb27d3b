import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
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

/** Starts a process that holds the system lock, and whose end closes `stdout`, as a server in another container does. */
async function startHolder(): Promise<ChildProcess> {
  // One process only: it takes the lock of its inherited file and then waits.
  const script = `flock -x 3 && echo locked && exec sleep 1000`
  const child = spawn('sh', ['-c', `exec 3>>"$1"; ${script}`, 'sh', join(dir, 'linnet.flock')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

it.skipIf(process.platform !== 'linux' || spawnSync('flock', ['--version']).status !== 0)(
  'a suspended holder in another container keeps the data, and loses them when it is killed',
  async () => {
    const lock = await lockData(dir)
    const own = JSON.parse(readFileSync(file(), 'utf8')) as object
    lock.release()
    const child = await startHolder()
    try {
      const holder = { ...own, pid: 1, space: 'another', host: 'another', url: 'http://127.0.0.1:4280' }
      writeFileSync(file(), JSON.stringify(holder))
      child.kill('SIGSTOP')
      // Its heartbeat has been missing for an hour.
      utimesSync(file(), new Date(0), new Date(Date.now() - 3_600_000))
      await expect(lockData(dir)).rejects.toThrow(
        `${dir} is in use: Linnet at http://127.0.0.1:4280 (process 1 on another, since`,
      )
    } finally {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearInterval'] })
    const locking = lockData(dir)
    await vi.advanceTimersByTimeAsync(6_000)
    const next = await locking
    next.release()
  },
)

it('a second lock of this process is refused, and possible after the first is released', async () => {
  const first = await lockData(dir)
  await expect(lockData(dir)).rejects.toThrow(/is in use: Linnet \(process \d+, since/)
  first.release()
  const second = await lockData(dir)
  second.release()
})

it('a folder that can no longer be written changes nothing for the holder', async () => {
  const onLost = vi.fn<() => void>()
  const lock = await lockData(dir, onLost)
  // The new content and the heartbeat fail, as on a full disk or a file system that is away.
  mkdirSync(`${file()}.new`)
  expect(() => lock.recordUrl('http://127.0.0.1:4280')).not.toThrow()
  rmSync(file())
  vi.advanceTimersByTime(10_000)
  mkdirSync(file())
  expect(() => lock.release()).not.toThrow()
  expect(onLost).not.toHaveBeenCalled()
})
