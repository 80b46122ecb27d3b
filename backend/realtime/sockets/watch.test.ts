import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Connection } from './connection.ts'
import { watchConnections } from './watch.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** As much of a connection as is watched. */
function watched(): { connection: Connection; calls: string[] } {
  const calls: string[] = []
  const connection = {
    heardAt: performance.now(),
    nextExpiry: Infinity,
    channels: () => [],
    ping: () => calls.push('ping'),
    terminate: () => calls.push('terminate'),
  }
  return { connection: connection as unknown as Connection, calls }
}

it('pings the silent and cuts who stays silent, within 45 s', () => {
  const [alive, gone] = [watched(), watched()]
  const watch = watchConnections(new Set([alive.connection, gone.connection]))
  for (let second = 0; second < 45; second++) {
    vi.advanceTimersByTime(1_000)
    if (second % 25 === 0) alive.connection.heardAt = performance.now()
  }
  expect(alive.calls).not.toContain('terminate')
  expect(gone.calls[0]).toBe('ping')
  expect(gone.calls).toContain('terminate')
  watch.close()
})

it('a clock that is set cuts nobody', () => {
  const { connection, calls } = watched()
  const watch = watchConnections(new Set([connection]))
  vi.setSystemTime(Date.now() + 86_400_000)
  vi.advanceTimersByTime(10_000)
  expect(calls).toEqual([])
  watch.close()
})
