import { beforeEach, expect, it, vi } from 'vitest'
import type { Channel } from '../sockets/channel.ts'
import type { RealtimeContext } from '../context.ts'
import { createRateShares } from '../rateShares.ts'
import { receivePresence, sendPresence } from './receivePresence.ts'

const tooMany = 'Too many presence messages per second'
let said: string[]
let context: RealtimeContext
let now: number

beforeEach(() => {
  said = []
  now = 0
  context = {
    settings: { maxPayloadBytes: 1_000, maxClientPresenceEvents: 5, clientPresenceWindowMs: 30_000 },
    presenceEvents: createRateShares(1, { now: () => now }),
    hub: { size: () => 1 },
    presence: {
      shows: () => false,
      track: () => said.push('tracked'),
      untrack: () => said.push('untracked'),
      sendState: () => said.push('state'),
    },
  } as unknown as RealtimeContext
})

/** A public topic as far as presence needs it. */
function joined(sub = 'omar'): Channel {
  const channel = {
    usesPresence: true,
    caller: { role: 'authenticated', claims: { sub } },
    reads: { broadcast: true, presence: true },
    presenceCalls: null,
    closed: false,
    mayWrite: async () => true,
    sink: { reply: (_: unknown, status: string) => said.push(status) },
    shutdown(message: string) {
      channel.closed = true
      said.push(message)
    },
  }
  return channel as unknown as Channel
}

const call = (channel: Channel, event: string): Promise<void> =>
  receivePresence(
    context,
    channel,
    { joinRef: '1', ref: '1', topic: 'realtime:a', event: 'presence', payload: { event, payload: {} } },
    10,
  )

it('ends the topics of a person who tracks or joins beyond their share, and not those of others', async () => {
  await call(joined(), 'track')
  expect(said).toEqual(['tracked', 'ok'])
  // Deliveries count as well; a minute has 60 of them here, of which one person may have 30.
  while (context.presenceEvents.take('person omar'));
  await call(joined(), 'track')
  sendPresence(context, joined())
  expect(said.slice(2)).toEqual([tooMany, tooMany])
  await call(joined('bea'), 'track')
  sendPresence(context, joined('bea'))
  expect(said.splice(4)).toEqual(['tracked', 'ok', 'state'])
  // Hiding costs nothing that is counted.
  await call(joined(), 'untrack')
  expect(said.slice(4)).toEqual(['untracked', 'ok'])
  now = 120_000
  sendPresence(context, joined())
  expect(said.at(-1)).toBe('state')
})

it('counts the calls of each topic of a connection, and begins anew after the window', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const [one, other] = [joined(), joined()]
    for (let calls = 0; calls < 5; calls++) await call(one, 'untrack')
    await call(other, 'untrack')
    vi.advanceTimersByTime(30_001)
    for (let calls = 0; calls < 5; calls++) await call(one, 'untrack')
    expect(said.filter((word) => word === 'ok')).toHaveLength(11)
    await call(one, 'untrack')
    expect(said.at(-1)).toBe('Client presence rate limit exceeded')
    expect([one.closed, other.closed]).toEqual([true, false])
  } finally {
    vi.useRealTimers()
  }
})
