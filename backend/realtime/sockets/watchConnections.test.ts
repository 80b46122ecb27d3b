import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Channel } from './channel.ts'
import type { Connection } from './connection.ts'
import { watchConnections } from './watchConnections.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** The part of a connection that is watched. */
function watched(hasJoined = true): { connection: Connection; calls: string[] } {
  const calls: string[] = []
  const connection = {
    receivedAt: performance.now(),
    openedAt: performance.now(),
    hasJoined,
    nextExpiry: Infinity,
    channels: () => [],
    ping: () => calls.push('ping'),
    terminate: () => calls.push('terminate'),
    end: (code: number) => calls.push(`end ${code}`),
  }
  return { connection: connection as unknown as Connection, calls }
}

it('pings silent connections and terminates those that stay silent, within 45 s', () => {
  const [alive, silent] = [watched(), watched()]
  const watch = watchConnections(new Set([alive.connection, silent.connection]), Infinity)
  for (let second = 0; second < 45; second++) {
    vi.advanceTimersByTime(1_000)
    if (second % 25 === 0) alive.connection.receivedAt = performance.now()
  }
  expect(alive.calls).not.toContain('terminate')
  expect(silent.calls[0]).toBe('ping')
  expect(silent.calls).toContain('terminate')
  watch.close()
})

it('setting the system clock terminates no connection', () => {
  const { connection, calls } = watched()
  const watch = watchConnections(new Set([connection]), Infinity)
  vi.setSystemTime(Date.now() + 86_400_000)
  vi.advanceTimersByTime(10_000)
  expect(calls).toEqual([])
  watch.close()
})

it('closes a connection that joins no topic in time, and no other', () => {
  const [idle, member] = [watched(false), watched()]
  const watch = watchConnections(new Set([idle.connection, member.connection]), 5_000)
  vi.advanceTimersByTime(4_000)
  expect(idle.calls).toEqual([])
  vi.advanceTimersByTime(2_000)
  expect([idle.calls, member.calls]).toEqual([['end 1008'], []])
  watch.close()
})

it('closes topics at the end of their session, before their token expires, and no others', () => {
  const start = Date.now()
  const { connection } = watched()
  const messages: string[] = []
  const topic = (name: string, expiresAt: number): Channel =>
    ({
      caller: { claims: { exp: start / 1000 + 600 } },
      expiresAt,
      shutdown: (message: string) => messages.push(`${name}: ${message}`),
    }) as unknown as Channel
  const topics = [topic('ended', start + 2_000), topic('other', start + 600_000)]
  connection.channels = () => topics.values() as never
  connection.scheduleExpiry = (at) => (connection.nextExpiry = Math.min(connection.nextExpiry, at))
  connection.nextExpiry = start + 2_000
  const watch = watchConnections(new Set([connection]), Infinity)
  vi.advanceTimersByTime(1_000)
  expect(messages).toEqual([])
  vi.advanceTimersByTime(2_000)
  expect(messages).toEqual(['ended: The session of this token has ended'])
  expect(connection.nextExpiry).toBe(start + 600_000)
  watch.close()
})
