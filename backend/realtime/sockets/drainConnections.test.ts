import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Connection } from './connection.ts'
import { drainConnections } from './drainConnections.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** The part of a connection that draining uses; with `answers` it closes on the close frame. */
function ending(answers: boolean): { connection: Connection; calls: { what: string; at: number }[] } {
  const calls: { what: string; at: number }[] = []
  let closed = (): void => {}
  const whenClosed = new Promise<void>((resolve) => {
    closed = resolve
  })
  const record = (what: string, closes: boolean): void => {
    calls.push({ what, at: performance.now() })
    if (closes) closed()
  }
  const connection = {
    whenClosed,
    end: (code: number) => record(`end ${code}`, answers),
    terminate: () => record('terminate', true),
  }
  return { connection: connection as unknown as Connection, calls }
}

it.each([
  [0, 0],
  [100, 100],
  [5_000, 1_000],
])('closes %i sockets within %i ms, spread evenly', async (count, withinMs) => {
  const all = Array.from({ length: count }, () => ending(true))
  const started = performance.now()
  const done = drainConnections(all.map(({ connection }) => connection))
  await vi.advanceTimersByTimeAsync(withinMs)
  await done
  const times = all.map(({ calls }) => calls[0]!.at - started)
  const tenth = withinMs / 10
  const counts = Array.from({ length: 10 }, (_, nth) =>
    times.filter((at) => at >= nth * tenth && at < (nth + 1) * tenth),
  )
  expect(counts.map(({ length }) => length)).toEqual(counts.map(() => count / 10))
  expect(all.map(({ calls }) => calls.map(({ what }) => what))).toEqual(all.map(() => ['end 1012']))
})

it('terminates connections that do not respond', async () => {
  const unresponsive = ending(false)
  const done = drainConnections([unresponsive.connection])
  await vi.advanceTimersByTimeAsync(2_000)
  await done
  expect(unresponsive.calls.map(({ what }) => what)).toEqual(['end 1012', 'terminate'])
})
