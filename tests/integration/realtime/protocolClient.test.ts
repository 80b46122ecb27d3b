import {
  REALTIME_SUBSCRIBE_STATES as states,
  RealtimeClient,
  type RealtimeChannel,
  type RealtimeClientOptions,
} from '@supabase/supabase-js'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { ended, received, joined } from './channelEvents.ts'
import { startRealtime, type Person, type TestRealtime } from './startRealtime.ts'

let realtime: TestRealtime
let ann: Person
let bea: Person
let clients: RealtimeClient[] = []

beforeAll(async () => {
  realtime = await startRealtime({ max_payload_size_in_kb: 10 })
  ann = await realtime.person()
  bea = await realtime.person()
  await realtime.sql(
    `insert into public.members (room, user_id, speaks, shows) values ('hall', $1, true, true), ('hall', $2, false, false)`,
    [ann.id, bea.id],
  )
})
afterEach(async () => {
  await Promise.all(clients.map((client) => client.removeAllChannels()))
  clients = []
})
afterAll(() => realtime.close())

describe.each(['1.0.0', '2.0.0'] as const)('realtime-js with vsn %s', (vsn) => {
  async function clientOf(
    token: string | null,
    o: Partial<RealtimeClientOptions> = {},
  ): Promise<RealtimeClient> {
    const client = new RealtimeClient(`${realtime.url}/realtime/v1`, {
      params: { apikey: realtime.anonKey },
      transport: WebSocket as never,
      reconnectAfterMs: () => 10,
      vsn,
      ...(token === null ? {} : { accessToken: async () => token }),
      ...o,
    })
    clients.push(client)
    await client.setAuth()
    return client
  }

  it('broadcast: by event and by *, self, the reply to ack', async () => {
    const [speaker, listener] = [await clientOf(null), await clientOf(null)]
    const sendingChannel = speaker.channel('talk', { config: { broadcast: { self: true, ack: true } } })
    const receivingChannel = listener.channel('talk')
    await Promise.all([joined(sendingChannel), joined(receivingChannel)])
    const waiting = [
      received(receivingChannel, 'word'),
      received(receivingChannel, '*'),
      received(sendingChannel, 'word'),
    ]
    const message = {
      type: 'broadcast',
      event: 'word',
      payload: { text: 'día 👋', list: [null, 1.5] },
    } as const
    expect(await sendingChannel.send(message)).toBe('ok')
    expect(await Promise.all(waiting)).toEqual([message, message, message])
    expect(await sendingChannel.send({ ...message, payload: { text: 'x'.repeat(20_000) } })).toBe('error')
  })

  it('broadcast: replay of a private topic', async () => {
    await realtime.sql(`delete from realtime.messages where topic = 'hall'`)
    await realtime.sql(
      `select realtime.send(jsonb_build_object('n', n), 'past', 'hall', true) from generate_series(1, 3) n`,
    )
    const since = Date.now() - 60_000
    const channel = (await clientOf(bea.token)).channel('hall', {
      config: { private: true, broadcast: { replay: { since, limit: 1 } } },
    })
    const past = received(channel, 'past')
    await joined(channel)
    expect(await past).toMatchObject({ payload: { n: 3 }, meta: { replayed: true, id: expect.any(String) } })
  })

  it('broadcast: replication_ready is a system event', async () => {
    const channel = (await clientOf(null)).channel('ready', {
      config: { broadcast: { replication_ready: true } },
    })
    const systemMessage = new Promise((resolve) => channel.on('system', {}, resolve))
    await joined(channel)
    expect(await systemMessage).toEqual({
      extension: 'system',
      status: 'ok',
      message: 'Replication connection established',
      channel: 'ready',
    })
  })

  it('send before joining uses HTTP', async () => {
    const [speaker, listener] = [await clientOf(null), await clientOf(null)]
    const receivingChannel = listener.channel('post')
    await joined(receivingChannel)
    const word = received(receivingChannel, 'word')
    const send = speaker.channel('post').send({ type: 'broadcast', event: 'word', payload: { n: 1 } })
    expect(await send).toBe('ok')
    expect(await word).toMatchObject({ event: 'word', payload: { n: 1 } })
  })

  it('presence: key, track, update, untrack, presenceState, sync, join, leave', async () => {
    const config = { private: true, presence: { key: 'ann' } }
    const [mine, theirs] = [
      (await clientOf(ann.token)).channel('hall', { config }),
      (await clientOf(ann.token)).channel('hall', { config: { private: true, presence: { enabled: true } } }),
    ]
    const synced = new Promise<void>((resolve) => mine.on('presence', { event: 'sync' }, () => resolve()))
    const seen: Record<string, unknown>[] = []
    for (const event of ['join', 'leave'])
      theirs.on('presence' as never, { event } as never, (message: Record<string, unknown>) =>
        seen.push(message),
      )
    await Promise.all([joined(mine), joined(theirs)])
    expect(await mine.track({ mood: 'calm' })).toBe('ok')
    await synced
    const calm = { mood: 'calm', presence_ref: expect.any(String) }
    await expect.poll(() => theirs.presenceState()).toEqual({ ann: [calm] })
    expect(await mine.track({ mood: 'glad' })).toBe('ok')
    await expect.poll(() => theirs.presenceState()).toMatchObject({ ann: [{ mood: 'glad' }] })
    expect(await mine.untrack()).toBe('ok')
    await expect.poll(() => theirs.presenceState()).toEqual({})
    expect(seen[0]).toMatchObject({ event: 'join', key: 'ann', newPresences: [calm] })
    expect(seen.at(-1)).toMatchObject({ event: 'leave', key: 'ann', leftPresences: [{ mood: 'glad' }] })
  })

  it('private: a refusal reaches the callback with its reason', async () => {
    const channel = (await clientOf(bea.token)).channel('attic', { config: { private: true } })
    await expect(joined(channel)).rejects.toThrow(
      'Unauthorized: You do not have permissions to read from this Channel topic: attic',
    )
  })

  it('states: subscribed, closed by the client, joined again', async () => {
    const client = await clientOf(null)
    const seen: string[] = []
    const channel = client.channel('door')
    await new Promise<void>((resolve) =>
      channel.subscribe((state) => {
        seen.push(state)
        if (state === states.SUBSCRIBED) resolve()
      }),
    )
    expect(await channel.unsubscribe()).toBe('ok')
    expect(seen).toEqual([states.SUBSCRIBED, states.CLOSED])
    expect(client.getChannels()).toEqual([])
    const again = client.channel('door')
    await joined(again)
    expect(await client.removeChannel(again)).toBe('ok')
  })

  it('several topics on one socket; the socket closes with the last of them', async () => {
    const sockets = realtime.service.stats().sockets
    const client = await clientOf(null, { disconnectOnEmptyChannelsAfterMs: 0 })
    const channels = ['x', 'y', 'z'].map((name) => client.channel(name))
    await Promise.all(channels.map(joined))
    expect(realtime.service.stats().sockets).toBe(sockets + 1)
    const waiting = channels.map((channel) => received(channel, 'e'))
    await realtime.sql(
      `select realtime.send(jsonb_build_object('to', t), 'e', t, false) from unnest(array['x', 'y', 'z']) t`,
    )
    const payloads = (await Promise.all(waiting)).map(({ payload }) => payload['to'])
    expect(payloads).toEqual(['x', 'y', 'z'])
    for (const channel of channels) expect(await channel.unsubscribe()).toBe('ok')
    await expect.poll(() => realtime.service.stats().sockets).toBe(sockets)
  })

  it('a broken connection: the client reconnects and joins its topics', async () => {
    const lines: WebSocket[] = []
    class Line extends WebSocket {
      constructor(address: string) {
        super(address)
        lines.push(this)
      }
    }
    const client = await clientOf(null, { transport: Line as never })
    const channel = client.channel('line')
    let joins = 0
    const twice = new Promise<void>((resolve) =>
      channel.subscribe((state) => {
        if (state === states.SUBSCRIBED && ++joins === 2) resolve()
      }),
    )
    await expect.poll(() => joins).toBe(1)
    lines[0]!.terminate()
    await twice
    const word = received(channel, 'word')
    await realtime.sql(`select realtime.send('{"n": 1}', 'word', 'line', false)`)
    expect(await word).toMatchObject({ payload: { n: 1 }, meta: { id: expect.any(String) } })
  })

  it('heartbeats get a reply', async () => {
    const statuses: string[] = []
    const client = await clientOf(null, {
      heartbeatIntervalMs: 20,
      heartbeatCallback: (status) => statuses.push(status),
    })
    await joined(client.channel('beat'))
    await expect.poll(() => statuses.filter((status) => status === 'ok').length).toBeGreaterThan(1)
    expect(statuses.filter((status) => status !== 'sent' && status !== 'ok')).toEqual([])
  })

  it('setAuth: a new token is used, an invalid one closes the topic with the reason', async () => {
    const client = await clientOf(null)
    await client.setAuth(bea.token)
    const channel = client.channel('hall', { config: { private: true } })
    await joined(channel)
    await client.setAuth(await realtime.tokenOf(bea, { expiresIn: 7_200 }))
    const word = received(channel, 'word')
    await realtime.sql(`select realtime.send('{}', 'word', 'hall', true)`)
    await word
    const end = ended(channel)
    await client.setAuth('no token')
    expect(await end).toBe('The token provided is not a valid JWT')
  })

  it('logger and log level do not affect the server', async () => {
    const logged: string[] = []
    const client = await clientOf(null, { logLevel: 'info', logger: (kind) => logged.push(kind) })
    await joined(client.channel('log'))
    expect(logged).toContain('receive')
  })

  it('a custom encoder and decoder: text remains text', async () => {
    const encode = (message: Record<string, unknown>, done: (text: string) => void): void =>
      done(
        JSON.stringify(
          vsn === '1.0.0'
            ? message
            : ['join_ref', 'ref', 'topic', 'event', 'payload'].map((name) => message[name] ?? null),
        ),
      )
    const [speaker, listener] = [await clientOf(null, { encode: encode as never }), await clientOf(null)]
    const [sendingChannel, receivingChannel] = [speaker.channel('text'), listener.channel('text')]
    await Promise.all([joined(sendingChannel), joined(receivingChannel)])
    const word = received(receivingChannel, 'word')
    await sendingChannel.send({ type: 'broadcast', event: 'word', payload: { n: 1 } })
    expect(await word).toEqual({ type: 'broadcast', event: 'word', payload: { n: 1 } })
  })
})

it('2.0.0 carries bytes as bytes', async () => {
  const open = async (): Promise<RealtimeChannel> => {
    const client = new RealtimeClient(`${realtime.url}/realtime/v1`, {
      params: { apikey: realtime.anonKey },
      transport: WebSocket as never,
    })
    clients.push(client)
    const channel = client.channel('bytes', { config: { broadcast: { ack: true } } })
    await joined(channel)
    return channel
  }
  const [sendingChannel, receivingChannel] = [await open(), await open()]
  const blob = received(receivingChannel, 'blob')
  const payload = new Uint8Array([0, 255, 7]).buffer
  expect(await sendingChannel.send({ type: 'broadcast', event: 'blob', payload })).toBe('ok')
  expect([...new Uint8Array((await blob).payload as unknown as ArrayBuffer)]).toEqual([0, 255, 7])
})
