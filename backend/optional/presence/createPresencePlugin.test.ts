import { beforeEach, expect, it, vi } from 'vitest'
import type { Channel } from '../../realtime/sockets/channel.ts'
import type { RealtimeContext } from '../../realtime/context.ts'
import type { RealtimePlugin } from '../../realtime/RealtimePlugin.ts'
import { createPresencePlugin } from './createPresencePlugin.ts'

const tooMany = 'Too many presence messages per second'
let calls: string[]
let plugin: RealtimePlugin
let now: number

beforeEach(() => {
  calls = []
  now = 0
  const context = {
    settings: {
      maxPayloadBytes: 1_000,
      maxClientPresenceEvents: 5,
      clientPresenceWindowMs: 30_000,
      maxPresenceEventsPerSecond: 1,
    },
    hub: { size: () => 1, publish() {} },
  }
  plugin = createPresencePlugin(context as unknown as RealtimeContext, () => now)
})

/** The part of a public topic that presence uses. */
function joined(sub = 'omar'): Channel {
  const fields = {
    key: 'public:a',
    name: 'a',
    readExtensions: new Set(),
    caller: { role: 'authenticated', claims: { sub } },
    reads: { broadcast: true, presence: true },
    closed: false,
    canWrite: async () => true,
    sink: {
      version: '2.0.0',
      reply: (_: unknown, status: string) => calls.push(status),
      write: () => calls.push('state'),
    },
    shutdown(message: string) {
      fields.closed = true
      calls.push(message)
    },
  }
  const channel = fields as unknown as Channel
  plugin.prepareJoin!(channel, { presence: { enabled: true } })
  return channel
}

const send = async (channel: Channel, event: string): Promise<void> => {
  const frame = { joinRef: '1', ref: '1', topic: 'realtime:a', event: 'presence' }
  await plugin.receive!(channel, { ...frame, payload: { event, payload: {} } }, 10)
}

const join = async (channel: Channel): Promise<void> => (await plugin.join!(channel, {})).onJoined!()

it('closes the topics of a user that exceeds its share of presence events, and not those of others', async () => {
  await send(joined(), 'track')
  expect([calls, plugin.stats().presences]).toEqual([['ok'], 1])
  // Deliveries count too; the limit is 60 per minute here, of which one user may have 30.
  while (calls.at(-1) !== tooMany) await join(joined())
  calls = ['ok']
  await send(joined(), 'track')
  await join(joined())
  expect(calls.splice(1)).toEqual([tooMany, tooMany])
  await send(joined('bea'), 'track')
  await join(joined('bea'))
  expect([calls.splice(1), plugin.stats().presences]).toEqual([['ok', 'state'], 2])
  // Untracking is not counted.
  await send(joined(), 'untrack')
  expect(calls.splice(1)).toEqual(['ok'])
  now = 120_000
  await join(joined())
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
