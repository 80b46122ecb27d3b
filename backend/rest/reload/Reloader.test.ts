import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLogger } from '../../logging/logger.ts'
import { Reloader } from './Reloader.ts'

const warnings: string[] = []
const log = createLogger({ format: 'text', minLevel: 'warn', write: (line) => warnings.push(line) })

/** Controls the loads: `end(n)` resolves the current one, `fail()` rejects it. */
interface Loads {
  started: number
  end(result: number): Promise<void>
  fail(): Promise<void>
}

let reloader: Reloader<number>
let loads: Loads
const settle = (): Promise<void> => vi.advanceTimersByTimeAsync(0).then(() => {})

beforeEach(() => {
  vi.useFakeTimers()
  warnings.length = 0
  let resolve: (result: number) => void
  let reject: (error: Error) => void
  loads = {
    started: 0,
    end: (result) => (resolve(result), settle()),
    fail: () => (reject(new Error('no')), settle()),
  }
  reloader = new Reloader(() => {
    loads.started++
    return new Promise<number>((...both) => ([resolve, reject] = both))
  }, log)
})
afterEach(async () => {
  // Not awaited, as it waits for a pending load.
  void reloader.close()
  vi.useRealTimers()
})

test('a single request reloads at once, and a burst of requests once more after it', async () => {
  for (let i = 0; i < 500; i++) {
    reloader.requestReload()
    await vi.advanceTimersByTimeAsync(1)
    if (i === 0) await loads.end(1)
  }
  expect(loads.started).toBe(1)
  await vi.advanceTimersByTimeAsync(60)
  expect(loads.started).toBe(2)
})

test('continuous requests do not delay the reload forever', async () => {
  for (let i = 0; i < 140; i++) {
    reloader.requestReload()
    await vi.advanceTimersByTimeAsync(40)
    if (i === 0) await loads.end(1)
  }
  expect(loads.started).toBe(2)
})

test('a request during a load causes another one after it; the last result is used until then', async () => {
  void reloader.reload()
  await loads.end(1)
  expect(reloader.current).toBe(1)
  let seen: number | null = null
  void reloader.reload()
  void reloader.reload().then(() => (seen = reloader.current))
  reloader.requestReload()
  await vi.advanceTimersByTimeAsync(100)
  expect(loads.started).toBe(2)
  expect(reloader.current).toBe(1)
  await loads.end(2)
  // The second load began before the third was requested.
  expect([loads.started, seen]).toEqual([3, null])
  await loads.end(3)
  expect([loads.started, seen, reloader.current]).toEqual([3, 3, 3])
})

test('a failed load keeps the last result, and is retried with backoff', async () => {
  void reloader.reload()
  await loads.end(1)
  const failed = reloader.reload().catch((error: Error) => error.message)
  await loads.fail()
  expect(await failed).toBe('no')
  const pauses: number[] = []
  for (let i = 0; i < 8; i++) {
    const before = loads.started
    let pause = 0
    for (; loads.started === before; pause += 50) await vi.advanceTimersByTimeAsync(50)
    pauses.push(pause)
    expect(reloader.current).toBe(1)
    await loads.fail()
  }
  expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000])
  expect(warnings).toHaveLength(9)
  // A request does not wait for the retry, and success resets the backoff.
  reloader.requestReload()
  await vi.advanceTimersByTimeAsync(50)
  await loads.end(2)
  expect(reloader.current).toBe(2)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(loads.started).toBe(11)
})

test('requests wait for the first load', async () => {
  const first = reloader.get()
  const second = reloader.get()
  await vi.advanceTimersByTimeAsync(1_000)
  await loads.end(1)
  expect([await first, await second, loads.started]).toEqual([1, 1, 1])
})

test('requests fail with PGRST002 if the first load takes long or fails', async () => {
  const codeOf = (waiting: Promise<number>): Promise<unknown> =>
    waiting.catch((error: { body: { code: string } }) => error.body.code)
  const patient = codeOf(reloader.get())
  await vi.advanceTimersByTimeAsync(3_000)
  expect(await patient).toBe('PGRST002')
  const unlucky = codeOf(reloader.get())
  await loads.fail()
  expect(await unlucky).toBe('PGRST002')
})

test('does not load after close', async () => {
  reloader.requestReload()
  await reloader.close()
  reloader.requestReload()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(loads.started).toBe(0)
})
