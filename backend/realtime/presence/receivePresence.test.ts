import { beforeEach, expect, it, vi } from 'vitest'
import type { Channel } from '../sockets/channel.ts'
import type { RealtimeContext } from '../context.ts'
import { createRateShares } from '../rateShares.ts'
import { receivePresence, sendPresence } from './receivePresence.ts'

const tooMany = 'Too many presence messages per second'
let calls: string[]
let context: RealtimeContext
let now: number

beforeEach(() => {
  calls = []
  now = 0
  context = {
    settings: { maxPayloadBytes: 1_000, maxClientPresenceEvents: 5, clientPresenceWindowMs: 30_000 },
    presenceEvents: createRateShares(1, { now: () => now }),
    hub: { size: () => 1 },
    presence: {
      isTracked: () => false,
      track: () => calls.push('tracked'),
      untrack: () => calls.push('untracked'),
      sendState: () => calls.push('state'),
    },
  } as unknown as RealtimeContext
})

/** The part of a public topic that presence uses. */
function joined(sub = 'omar'): Channel {
  const channel = {
    usesPresence: true,
    caller: { role: 'authenticated', claims: { sub } },
    reads: { broadcast: true, presence: true },
    presenceCalls: null,
    closed: false,
    canWrite: async () => true,
    sink: { reply: (_: unknown, status: string) => calls.push(status) },
    shutdown(message: string) {
      channel.closed = true
      calls.push(message)
    },
  }
  return channel as unknown as Channel
}

const send = (channel: Channel, event: string): Promise<void> =>
  receivePresence(
    context,
    channel,
    { joinRef: '1', ref: '1', topic: 'realtime:a', event: 'presence', payload: { event, payload: {} } },
    10,
  )

it('closes the topics of a user that exceeds its share of presence events, and not those of others', async () => {
  await send(joined(), 'track')
  expect(calls).toEqual(['tracked', 'ok'])
  // Deliveries count too; the limit is 60 per minute here, of which one user may have 30.
  while (context.presenceEvents.take('person omar'));
  await send(joined(), 'track')
  sendPresence(context, joined())
  expect(calls.slice(2)).toEqual([tooMany, tooMany])
  await send(joined('bea'), 'track')
  sendPresence(context, joined('bea'))
  expect(calls.splice(4)).toEqual(['tracked', 'ok', 'state'])
  // Untracking is not counted.
  await send(joined(), 'untrack')
  expect(calls.slice(4)).toEqual(['untracked', 'ok'])
  now = 120_000
  sendPresence(context, joined())
  expect(calls.at(-1)).toBe('state')
})

it('counts the calls of each topic of a connection, and resets after the window', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const [one, other] = [joined(), joined()]
    for (let calls = 0; calls < 5; calls++) await send(one, 'untrack')
    await send(other, 'untrack')
    vi.advanceTimersByTime(30_001)
    for (let calls = 0; calls < 5; calls++) await send(one, 'untrack')
    expect(calls.filter((call) => call === 'ok')).toHaveLength(11)
    await send(one, 'untrack')
    expect(calls.at(-1)).toBe('Client presence rate limit exceeded')
    expect([one.closed, other.closed]).toEqual([true, false])
  } finally {
    vi.useRealTimers()
  }
})
