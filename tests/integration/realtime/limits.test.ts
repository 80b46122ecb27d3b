import type { Socket } from 'node:net'
import { WebSocket } from 'ws'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonFrame } from '../../../wire/realtime.ts'
import { joined } from './channelEvents.ts'
import { rawSocket, type RawSocket } from './rawSocket.ts'
import { startRealtime, type Person, type TestRealtime } from './startRealtime.ts'

/** Resolves with the sentence of the next `system` error of a topic, once that topic is closed. */
async function ended(raw: RawSocket, topic: string): Promise<string> {
  const frame = await raw.find(
    (found) =>
      !found.broadcast && found.topic === topic && found.event === 'system' && isError(found.payload),
  )
  await raw.find((found) => !found.broadcast && found.topic === topic && found.event === 'phx_close')
  return ((frame as JsonFrame).payload as { message: string }).message
}

const isError = (payload: unknown): boolean => (payload as { status?: string }).status === 'error'

/** A reply proves that the server has read all earlier frames and that the topic is still joined. */
async function lives(raw: RawSocket, topic: string): Promise<void> {
  const ref = crypto.randomUUID()
  raw.send({ topic, event: 'presence', ref, payload: { event: 'untrack' } })
  expect(await raw.reply(ref)).toMatchObject({ status: 'ok' })
}

/** The response to a refused handshake. */
function refusal(realtime: TestRealtime, headers: Record<string, string> = {}): Promise<[number, string]> {
  return new Promise((resolve) => {
    const socket = new WebSocket(
      `${realtime.url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${realtime.anonKey}&vsn=2.0.0`,
      { headers },
    )
    socket.on('open', () => {
      socket.terminate()
      resolve([101, ''])
    })
    socket.on('unexpected-response', (_, response) => {
      let text = ''
      response.on('data', (data: Buffer) => (text += data.toString()))
      response.on('end', () => resolve([response.statusCode!, text]))
    })
    socket.on('error', () => {})
  })
}

const lineOf = (socket: WebSocket): Socket => (socket as unknown as { _socket: Socket })._socket

const lineWrites = (socket: WebSocket, bytes: Buffer): Promise<void> =>
  new Promise((resolve) => lineOf(socket).write(bytes, () => resolve()))

/** The head of a masked text frame (RFC 6455, 5.2); the mask changes nothing. */
function frameHead(length: number): Buffer {
  const head = Buffer.alloc(14)
  head[0] = 0x81
  head[1] = 0xff
  head.writeBigUInt64BE(BigInt(length), 2)
  return head
}

const postBroadcast = (realtime: TestRealtime, messages: number, token?: string): Promise<Response> =>
  fetch(`${realtime.url}/realtime/v1/api/broadcast`, {
    method: 'POST',
    headers: {
      apikey: realtime.anonKey,
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({
      messages: Array.from({ length: messages }, () => ({ topic: 'loud', event: 'e', payload: {} })),
    }),
  })

describe('of connections, topics and sizes', () => {
  let realtime: TestRealtime
  let sockets: RawSocket[] = []
  const connect = async (): Promise<RawSocket> => {
    const raw = await rawSocket(realtime)
    sockets.push(raw)
    return raw
  }

  beforeAll(async () => {
    realtime = await startRealtime({
      max_concurrent_users: 4,
      max_channels_per_client: 3,
      max_payload_size_in_kb: 1,
      max_client_presence_events_per_window: 2,
      allowed_origins: ['https://chat.example'],
    })
  })
  afterAll(async () => {
    for (const { socket } of sockets) socket.terminate()
    await realtime.close()
  })

  it('max_channels_per_client: a further join is refused until a topic is left', async () => {
    const raw = await connect()
    for (const name of ['a', 'b', 'c'])
      expect(await raw.join(`realtime:${name}`)).toMatchObject({ status: 'ok' })
    expect(await raw.join('realtime:d')).toEqual({
      status: 'error',
      response: { reason: 'ChannelRateLimitReached: Too many channels' },
    })
    // Joining a topic again does not count twice.
    expect(await raw.join('realtime:a')).toMatchObject({ status: 'ok' })
    raw.send({ topic: 'realtime:b', event: 'phx_leave', ref: 'leave' })
    await raw.reply('leave')
    expect(await raw.join('realtime:d')).toMatchObject({ status: 'ok' })
    await lives(raw, 'realtime:c')
  })

  it('max_payload_size_in_kb: larger messages are not delivered, by socket, HTTP, presence or database', async () => {
    const [speaker, listener] = [await connect(), await connect()]
    await speaker.join('realtime:loud', { config: { broadcast: { ack: true } } })
    await speaker.join('realtime:other')
    await listener.join('realtime:loud')
    const long = 'x'.repeat(2_000)
    speaker.send({
      topic: 'realtime:loud',
      event: 'broadcast',
      ref: 'big',
      payload: { event: 'e', payload: { long } },
    })
    expect(await speaker.reply('big')).toEqual({ status: 'error', response: 'payload_size_exceeded' })
    await realtime.sql(`select realtime.send(jsonb_build_object('long', $1::text), 'e', 'loud', false)`, [
      long,
    ])
    await realtime.sql(`select realtime.send('{}', 'small', 'loud', false)`)
    const received = await listener.find((found) => found.broadcast !== undefined)
    expect(received.broadcast?.event).toBe('small')
    const response = await fetch(`${realtime.url}/realtime/v1/api/broadcast/loud/events/e`, {
      method: 'POST',
      headers: { apikey: realtime.anonKey, 'content-type': 'application/octet-stream' },
      body: long,
    })
    expect([response.status, await response.json()]).toEqual([
      422,
      { errors: { payload: ['Payload size exceeds tenant limit'] } },
    ])
    speaker.send({
      topic: 'realtime:loud',
      event: 'presence',
      payload: { event: 'track', payload: { long } },
    })
    expect(await ended(speaker, 'realtime:loud')).toBe('Track message size exceeded')
    await Promise.all([lives(speaker, 'realtime:other'), lives(listener, 'realtime:loud')])
    speaker.socket.terminate()
    listener.socket.terminate()
  })

  it('max_client_presence_events_per_window: the topic closes, the others of the connection stay', async () => {
    const raw = await connect()
    await raw.join('realtime:busy')
    await raw.join('realtime:calm')
    for (const n of [1, 2, 3]) {
      raw.send({ topic: 'realtime:busy', event: 'presence', payload: { event: 'track', payload: { n } } })
    }
    expect(await ended(raw, 'realtime:busy')).toBe('Client presence rate limit exceeded')
    await lives(raw, 'realtime:calm')
    expect(await raw.join('realtime:busy')).toMatchObject({ status: 'ok' })
    raw.socket.terminate()
  })

  it('max_concurrent_users: a further handshake is refused until a connection closes', async () => {
    await expect.poll(() => realtime.service.stats().sockets).toBe(1)
    const others = [await connect(), await connect(), await connect()]
    expect(await refusal(realtime)).toEqual([429, '{"error":"Too many connected users"}'])
    others[0]!.socket.terminate()
    await expect.poll(() => refusal(realtime)).toEqual([101, ''])
    for (const { socket } of others) socket.terminate()
  })

  it('allowed_origins: pages of other origins are refused, other programs are not', async () => {
    await expect.poll(() => realtime.service.stats().sockets).toBe(1)
    expect(await refusal(realtime, { origin: 'https://evil.example' })).toEqual([
      403,
      '{"error":"This origin is not allowed"}',
    ])
    expect(await refusal(realtime, { origin: 'https://chat.example' })).toEqual([101, ''])
    expect(await refusal(realtime)).toEqual([101, ''])
  })
})

describe('of rates, averaged over a minute', () => {
  let realtime: TestRealtime
  let ann: Person

  beforeAll(async () => {
    realtime = await startRealtime({
      max_events_per_second: 2,
      max_joins_per_second: 1,
      max_presence_events_per_second: 1,
      max_client_presence_events_per_window: 1_000,
    })
    ann = await realtime.person()
  })
  afterAll(() => realtime.close())

  it('max_events_per_second: a larger batch is refused over HTTP before any message is published', async () => {
    const response = await postBroadcast(realtime, 3)
    expect([response.status, await response.json()]).toEqual([
      429,
      { message: 'Too many messages to broadcast, please reduce the batch size' },
    ])
    expect((await postBroadcast(realtime, 1)).status).toBe(202)
  })

  it('max_presence_events_per_second: the topic closes', async () => {
    const raw = await rawSocket(realtime)
    await raw.join('realtime:crowd')
    await raw.join('realtime:calm')
    for (let n = 0; n < 61; n++) {
      raw.send({ topic: 'realtime:crowd', event: 'presence', payload: { event: 'track', payload: { n } } })
    }
    expect(await ended(raw, 'realtime:crowd')).toBe('Too many presence messages per second')
    await lives(raw, 'realtime:calm')
    raw.socket.terminate()
  })

  it('max_events_per_second: only the topic of the excessive sender closes, and database messages that exceed it are dropped', async () => {
    const [omar, bea] = [await realtime.person(), await realtime.person()]
    const [sender, reader] = [await rawSocket(realtime), await rawSocket(realtime)]
    await sender.join('realtime:busy', { access_token: omar.token })
    await sender.join('realtime:calm', { access_token: omar.token })
    await reader.join('realtime:busy', { access_token: bea.token })
    await reader.join('realtime:calm', { access_token: bea.token })
    const broadcast = (raw: RawSocket, topic: string): void =>
      raw.send({ topic: `realtime:${topic}`, event: 'broadcast', payload: { event: 'e', payload: {} } })
    // Each message counts once and once for each of the two.
    for (let n = 0; n < 60; n++) broadcast(sender, 'busy')
    expect(await ended(sender, 'realtime:busy')).toBe('Too many messages per second')
    const isMessage = (frame: RawSocket['frames'][number]): boolean =>
      frame.broadcast !== undefined || frame.event === 'broadcast'
    // The excess of one sender costs another neither the topic nor what is left of the rate.
    broadcast(reader, 'calm')
    await sender.find((frame) => frame.topic === 'realtime:calm' && isMessage(frame))
    await lives(reader, 'realtime:busy')
    expect((await postBroadcast(realtime, 1, bea.token)).status).toBe(202)
    const refused = await postBroadcast(realtime, 1, omar.token)
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { message: 'You have exceeded your rate limit' },
    ])
    for (let n = 0; n < 60; n++)
      await realtime.sql(`select realtime.send('{}', 'of the database', 'calm', false)`)
    await lives(reader, 'realtime:calm')
    await expect
      .poll(() => realtime.warnings.filter((event) => event === 'realtime.messages_dropped'))
      .toHaveLength(1)
    sender.socket.terminate()
    reader.socket.terminate()
  })

  it('refusing invalid tokens over HTTP does not use the rate of others', async () => {
    const invalid = Array.from({ length: 130 }, () => postBroadcast(realtime, 1, 'a.b.c'))
    expect(new Set((await Promise.all(invalid)).map(({ status }) => status))).toEqual(new Set([401]))
    const gus = await realtime.person()
    expect((await postBroadcast(realtime, 1, gus.token)).status).toBe(202)
  })

  it('max_joins_per_second: joins with an invalid token or the public key do not use the share of others', async () => {
    const calm = await rawSocket(realtime)
    await calm.join('realtime:calm', { access_token: ann.token })
    for (const payload of [{ access_token: 'a.b.c' }, {}]) {
      const raw = await rawSocket(realtime)
      let refused: unknown = null
      for (let n = 0; n < 60 && refused === null; n++) {
        const { status, response } = await raw.join(`realtime:${n}`, payload)
        if (status === 'error' && !/JWT/i.test(JSON.stringify(response))) refused = response
      }
      expect(refused).toEqual({ reason: 'ClientJoinRateLimitReached: Too many joins per second' })
      expect(await raw.closed).toEqual({ code: 1008, reason: 'Too many joins per second' })
    }
    const member = await rawSocket(realtime)
    expect(await member.join('realtime:calm', { access_token: ann.token })).toMatchObject({ status: 'ok' })
    await lives(calm, 'realtime:calm')
    calm.socket.terminate()
    member.socket.terminate()
  })

  it('max_joins_per_second: a member joins through supabase-js while others have used up their share', async () => {
    const raw = await rawSocket(realtime)
    for (let n = 0; n < 60; n++) raw.send({ topic: `realtime:${n}`, event: 'phx_join', ref: `${n}` })
    expect(await raw.closed).toEqual({ code: 1008, reason: 'Too many joins per second' })
    const bea = await realtime.person()
    const client = await realtime.client(bea.token)
    await joined(client.channel('calm'))
    expect(client.realtime.isConnected()).toBe(true)
  })
})

describe('per caller', () => {
  let realtime: TestRealtime
  let ann: Person
  let bea: Person

  beforeAll(async () => {
    realtime = await startRealtime(
      {
        max_connections_per_person: 2,
        max_client_events_per_second: 1,
        max_join_size_in_kb: 64,
      },
      { bufferedBytes: 2_000_000 },
    )
    ann = await realtime.person()
    bea = await realtime.person()
  })
  afterAll(() => realtime.close())

  it('max_join_size_in_kb: a longer frame before a join closes the connection, complete or not', async () => {
    const [unfinished, finished] = [await rawSocket(realtime), await rawSocket(realtime)]
    lineOf(unfinished.socket).write(frameHead(400_000))
    lineOf(unfinished.socket).write(Buffer.alloc(100_000, 0x20))
    finished.send({ topic: 'realtime:a', event: 'phx_join', payload: { long: 'x'.repeat(100_000) } })
    await Promise.all([unfinished.closed, finished.closed])
    const member = await rawSocket(realtime)
    await member.join('realtime:a', { access_token: ann.token })
    member.send({
      topic: 'realtime:a',
      event: 'presence',
      ref: 'long',
      payload: { event: 'untrack', long: 'x'.repeat(400_000) },
    })
    expect(await member.reply('long')).toMatchObject({ status: 'ok' })
    member.socket.terminate()
  })

  it('max_buffered_mb: many incomplete frames of one user close the connections of that user only', async () => {
    const [first, second, other] = [
      await rawSocket(realtime),
      await rawSocket(realtime),
      await rawSocket(realtime),
    ]
    for (const raw of [first, second]) await raw.join('realtime:a', { access_token: ann.token })
    await other.join('realtime:a', { access_token: bea.token })
    for (const raw of [first, second, other]) {
      lineOf(raw.socket).write(frameHead(raw === other ? 600_000 : 900_000))
      lineOf(raw.socket).write(Buffer.alloc(raw === other ? 400_000 : 600_000, 0x20))
    }
    await Promise.race([first.closed, second.closed, other.closed])
    await lineWrites(other.socket, Buffer.alloc(200_000, 0x20))
    // Its frame has ended, so that the next one is read.
    await Promise.race([other.sendHeartbeat(), other.closed])
    expect(other.socket.readyState).toBe(WebSocket.OPEN)
    for (const { socket } of [first, second, other]) socket.terminate()
  })

  it('max_connections_per_person: a further connection can only join as another user', async () => {
    await expect.poll(() => realtime.service.stats().sockets).toBe(0)
    const raws = [await rawSocket(realtime), await rawSocket(realtime), await rawSocket(realtime)]
    for (const raw of raws.slice(0, 2)) await raw.join('realtime:a', { access_token: ann.token })
    expect(await raws[2]!.join('realtime:a', { access_token: ann.token })).toEqual({
      status: 'error',
      response: { reason: 'ConnectionRateLimitReached: Too many connections of this account' },
    })
    expect(await raws[2]!.join('realtime:a', { access_token: bea.token })).toMatchObject({ status: 'ok' })
    raws[0]!.socket.terminate()
    const later = await rawSocket(realtime)
    await expect
      .poll(() => later.join('realtime:a', { access_token: ann.token }))
      .toMatchObject({ status: 'ok' })
    for (const { socket } of [...raws, later]) socket.terminate()
  })

  it('max_client_events_per_second: the topic of an excessive sender closes, others do not', async () => {
    const [speaker, calm] = [await rawSocket(realtime), await rawSocket(realtime)]
    await speaker.join('realtime:a', { access_token: ann.token })
    await calm.join('realtime:a', { access_token: bea.token })
    // Each counts once and once for each of the two.
    for (let n = 0; n < 30; n++) {
      speaker.send({ topic: 'realtime:a', event: 'broadcast', payload: { event: 'e', payload: { n } } })
    }
    expect(await ended(speaker, 'realtime:a')).toBe('Too many messages per second')
    const messages = calm.frames.filter((frame) => !frame.broadcast && frame.event === 'broadcast')
    expect(messages).toHaveLength(20)
    calm.send({ topic: 'realtime:a', event: 'broadcast', payload: { event: 'e', payload: {} } })
    await lives(calm, 'realtime:a')
    const send = (token: string): Promise<number> =>
      fetch(`${realtime.url}/realtime/v1/api/broadcast/a/events/e`, {
        method: 'POST',
        headers: {
          apikey: realtime.anonKey,
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
        },
        body: '{}',
      }).then(({ status }) => status)
    expect([await send(ann.token), await send(bea.token)]).toEqual([429, 202])
    speaker.socket.terminate()
    calm.socket.terminate()
  })
})

describe('of private topics', () => {
  let realtime: TestRealtime
  beforeAll(async () => {
    // Long enough for a busy machine to join.
    realtime = await startRealtime({ private_only: true, join_timeout_in_s: 4 })
  })
  afterAll(() => realtime.close())

  it('private_only: public ones are refused; join_timeout_in_s: a connection without a join is closed', async () => {
    const idle = await rawSocket(realtime)
    const bea = await realtime.person()
    await realtime.sql(`insert into public.members (room, user_id) values ('garden', $1)`, [bea.id])
    const raw = await rawSocket(realtime)
    expect(await raw.join('realtime:garden', { access_token: bea.token })).toEqual({
      status: 'error',
      response: { reason: 'PrivateOnly: This project only allows private channels' },
    })
    expect(
      await raw.join('realtime:garden', { access_token: bea.token, config: { private: true } }),
    ).toMatchObject({ status: 'ok' })
    expect(await idle.closed).toEqual({ code: 1008, reason: 'No topic was joined in time' })
    raw.send({ topic: 'phoenix', event: 'heartbeat', ref: 'joined' })
    expect(await raw.reply('joined')).toMatchObject({ status: 'ok' })
    raw.socket.terminate()
  })
})
