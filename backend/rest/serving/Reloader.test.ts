import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLogger } from '../../logging/logger.ts'
import { Reloader } from './Reloader.ts'

const warnings: string[] = []
const log = createLogger({ format: 'text', minLevel: 'warn', write: (line) => warnings.push(line) })

/** Each reading ends when it is told to: `end(n)` with an answer, `fail()` without. */
interface Readings {
  begun: number
  end(answer: number): Promise<void>
  fail(): Promise<void>
}

let reloader: Reloader<number>
let readings: Readings
const settle = (): Promise<void> => vi.advanceTimersByTimeAsync(0).then(() => {})

beforeEach(() => {
  vi.useFakeTimers()
  warnings.length = 0
  let resolve: (answer: number) => void
  let reject: (error: Error) => void
  readings = {
    begun: 0,
    end: (answer) => (resolve(answer), settle()),
    fail: () => (reject(new Error('no')), settle()),
  }
  reloader = new Reloader(() => {
    readings.begun++
    return new Promise<number>((...both) => ([resolve, reject] = both))
  }, log)
})
afterEach(async () => {
  // A reading that stands still would keep us waiting.
  void reloader.close()
  vi.useRealTimers()
})

test('a wish out of the blue is heard at once, and a burst of them once more when it is over', async () => {
  for (let i = 0; i < 500; i++) {
    reloader.wish()
    await vi.advanceTimersByTimeAsync(1)
    if (i === 0) await readings.end(1)
  }
  expect(readings.begun).toBe(1)
  await vi.advanceTimersByTimeAsync(60)
  expect(readings.begun).toBe(2)
})

test('wishes without end are heard all the same', async () => {
  for (let i = 0; i < 140; i++) {
    reloader.wish()
    await vi.advanceTimersByTimeAsync(40)
    if (i === 0) await readings.end(1)
  }
  expect(readings.begun).toBe(2)
})

test('what is asked during a reading is read after it, and the last one serves until then', async () => {
  void reloader.reload()
  await readings.end(1)
  expect(reloader.current).toBe(1)
  let seen: number | null = null
  void reloader.reload()
  void reloader.reload().then(() => (seen = reloader.current))
  reloader.wish()
  await vi.advanceTimersByTimeAsync(100)
  expect(readings.begun).toBe(2)
  expect(reloader.current).toBe(1)
  await readings.end(2)
  // The second reading began before it was asked for a third.
  expect([readings.begun, seen]).toEqual([3, null])
  await readings.end(3)
  expect([readings.begun, seen, reloader.current]).toEqual([3, 3, 3])
})

test('a failing reading keeps the last one, and is tried again with growing pauses', async () => {
  void reloader.reload()
  await readings.end(1)
  const failed = reloader.reload().catch((error: Error) => error.message)
  await readings.fail()
  expect(await failed).toBe('no')
  const pauses: number[] = []
  for (let i = 0; i < 8; i++) {
    const before = readings.begun
    let pause = 0
    for (; readings.begun === before; pause += 50) await vi.advanceTimersByTimeAsync(50)
    pauses.push(pause)
    expect(reloader.current).toBe(1)
    await readings.fail()
  }
  expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000])
  expect(warnings).toHaveLength(9)
  // A wish need not wait for that, and success ends it.
  reloader.wish()
  await vi.advanceTimersByTimeAsync(50)
  await readings.end(2)
  expect(reloader.current).toBe(2)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(readings.begun).toBe(11)
})

test('who comes before the first reading waits for it, a little', async () => {
  const first = reloader.get()
  const second = reloader.get()
  await vi.advanceTimersByTimeAsync(1_000)
  await readings.end(1)
  expect([await first, await second, readings.begun]).toEqual([1, 1, 1])
})

test('and is told to come back where it takes long, or fails', async () => {
  const codeOf = (waiting: Promise<number>): Promise<unknown> =>
    waiting.catch((error: { body: { code: string } }) => error.body.code)
  const patient = codeOf(reloader.get())
  await vi.advanceTimersByTimeAsync(3_000)
  expect(await patient).toBe('PGRST002')
  const unlucky = codeOf(reloader.get())
  await readings.fail()
  expect(await unlucky).toBe('PGRST002')
})

test('closed, it reads no more', async () => {
  reloader.wish()
  await reloader.close()
  reloader.wish()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(readings.begun).toBe(0)
})
