import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { renderPush, type JsonFrame } from '../../../wire/realtime.ts'
import { rawSocket } from './rawSocket.ts'
import { startRealtime, type TestRealtime } from './startRealtime.ts'

let realtime: TestRealtime

beforeAll(async () => {
  realtime = await startRealtime({ max_channels_per_client: 5, max_payload_size_in_kb: 10 })
})
afterAll(() => realtime.close())

const ok = { status: 'ok', response: { postgres_changes: [] } }
const unmatched = { status: 'error', response: { reason: 'unmatched topic' } }
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** How an upgrade with that address is answered. */
async function upgrade(path: string): Promise<number> {
  const socket = new WebSocket(realtime.url.replace('http', 'ws') + path)
  return new Promise((resolve) => {
    socket.on('unexpected-response', (_, response) => resolve(response.statusCode!))
    socket.on('open', () => resolve(101))
    socket.on('error', () => {})
  }).finally(() => socket.terminate()) as Promise<number>
}

describe.each(['1.0.0', '2.0.0'] as const)('version %s', (version) => {
  it('joins, receives, sends heartbeats, leaves', async () => {
    const raw = await rawSocket(realtime, version)
    expect(await raw.join('realtime:open')).toEqual(ok)
    await realtime.sql(`select realtime.send('{"n": 1}', 'e', 'open', false)`)
    const frame = await raw.find((frame) => frame.topic === 'realtime:open' && !isReply(frame as JsonFrame))
    expect(frame).toMatchObject(
      version === '2.0.0'
        ? { broadcast: { event: 'e', encoding: 'json' } }
        : { event: 'broadcast', payload: { event: 'e', payload: { n: 1 } } },
    )

    raw.send({ topic: 'phoenix', event: 'heartbeat', ref: 'beat' })
    expect(await raw.reply('beat')).toEqual({ status: 'ok', response: {} })
    raw.send({ topic: 'realtime:open', event: 'phx_leave', ref: 'leave' })
    expect(await raw.reply('leave')).toEqual({ status: 'ok', response: {} })
    await raw.find((frame) => !frame.broadcast && frame.event === 'phx_close')
    expect(realtime.service.stats().topics).toBe(0)
    raw.socket.close()
  })

  it('replies to unknown events as Phoenix does, and continues', async () => {
    const raw = await rawSocket(realtime, version)
    expect(await raw.join('elsewhere')).toEqual(unmatched)
    expect(await raw.join('realtime:')).toMatchObject({
      response: { reason: 'TopicNameRequired: You must provide a topic name' },
    })
    expect(await raw.join(`realtime:${'x'.repeat(2000)}`)).toMatchObject({ status: 'error' })
    raw.send({ topic: 'realtime:open', event: 'broadcast', ref: 'early' })
    expect(await raw.reply('early')).toEqual(unmatched)
    raw.send({ topic: 'realtime:open', event: 'phx_leave', ref: 'never-joined' })
    expect(await raw.reply('never-joined')).toEqual({ status: 'ok', response: {} })
    for (const text of ['', '{', '[]', 'null', '[1,2,3,4,5]', '{"topic":{}}', '['.repeat(50_000)])
      raw.socket.send(text)
    raw.socket.send(new Uint8Array([3, 255, 255, 255, 255, 255, 1]))
    raw.socket.send(new Uint8Array())
    expect(await raw.join('realtime:open')).toEqual(ok)
    raw.send({ topic: 'realtime:open', event: 'no_such_event', ref: 'odd', payload: null })
    raw.send({ topic: 'realtime:open', event: 'access_token', payload: { access_token: 7 } })
    raw.send({ topic: 'realtime:open', event: 'access_token', payload: null })
    raw.send({ topic: 'phoenix', event: 'heartbeat', ref: 'alive' })
    expect(await raw.reply('alive')).toMatchObject({ status: 'ok' })
    raw.socket.close()
  })

  it('accepts any form of a join', async () => {
    const raw = await rawSocket(realtime, version)
    for (const payload of [null, 7, [], 'x']) {
      expect(await raw.join('realtime:shapes', payload)).toMatchObject({ status: 'error' })
    }
    for (const payload of [
      {},
      { config: null },
      { config: { broadcast: 1, presence: [], postgres_changes: {}, private: {} } },
      { config: { broadcast: { ack: 'TRUE' }, presence: { key: '__proto__', enabled: true } } },
      { config: { presence: { key: { deep: [] }, enabled: 'no' } }, access_token: [], user_token: 7 },
    ]) {
      expect(await raw.join('realtime:shapes', payload)).toEqual(ok)
    }
    expect(await raw.join('realtime:shapes', { config: { broadcast: { replay: {} } } })).toMatchObject({
      response: { reason: 'UnableToReplayMessages: Replay is not allowed for public channels' },
    })
    raw.socket.close()
  })

  it('a second join replaces the first', async () => {
    const raw = await rawSocket(realtime, version)
    raw.send({ topic: 'realtime:twice', event: 'phx_join', joinRef: 'a', ref: 'a' })
    raw.send({ topic: 'realtime:twice', event: 'phx_leave', joinRef: 'a', ref: 'b' })
    raw.send({ topic: 'realtime:twice', event: 'phx_join', joinRef: 'c', ref: 'c' })
    raw.send({ topic: 'realtime:twice', event: 'phx_join', joinRef: 'd', ref: 'd' })
    for (const ref of ['a', 'b', 'c', 'd']) expect(await raw.reply(ref)).toMatchObject({ status: 'ok' })
    const before = raw.frames.length
    await realtime.sql(`select realtime.send('{}', 'once', 'twice', false)`)
    await raw.find((frame) => frame.broadcast !== undefined || frame.event === 'broadcast')
    raw.send({ topic: 'phoenix', event: 'heartbeat', ref: 'after' })
    await raw.reply('after')
    expect(raw.frames.slice(before)).toHaveLength(2)
    raw.socket.close()
  })
})

function isReply(frame: JsonFrame): boolean {
  return frame.event === 'phx_reply'
}

describe('binary frames', () => {
  it('never affect a topic that was not joined, whatever their body', async () => {
    const [speaker, old] = [await rawSocket(realtime), await rawSocket(realtime, '1.0.0')]
    await speaker.join('realtime:near')
    await old.join('realtime:near')
    await old.join('realtime:far')
    const push = (topic: string, body: string): void =>
      speaker.socket.send(
        renderPush({
          joinRef: null,
          ref: '1',
          topic,
          event: 'broadcast',
          broadcast: { event: 'e', encoding: 'json', body: bytes(body), meta: null },
        }),
      )
    push('realtime:far', '{}')
    push('realtime:near', '1},"topic":"realtime:far","x":{"y":1')
    push('realtime:near', '{"honest":true}')
    const received = await old.find((frame) => !isReply(frame as JsonFrame))
    expect(received).toMatchObject({ topic: 'realtime:near', payload: { payload: { honest: true } } })
    speaker.socket.close()
    old.socket.close()
  })

  it('bytes are delivered on 2.0.0, and not on 1.0.0, which has no format for them', async () => {
    const [speaker, modern, old] = [
      await rawSocket(realtime),
      await rawSocket(realtime),
      await rawSocket(realtime, '1.0.0'),
    ]
    for (const raw of [speaker, modern, old]) await raw.join('realtime:bytes')
    const broadcast = { event: 'e', encoding: 'binary' as const, body: new Uint8Array([1, 2]), meta: null }
    speaker.socket.send(
      renderPush({ joinRef: null, ref: null, topic: 'realtime:bytes', event: 'broadcast', broadcast }),
    )
    expect((await modern.find((frame) => frame.broadcast !== undefined)).broadcast).toMatchObject({
      encoding: 'binary',
    })
    old.send({ topic: 'phoenix', event: 'heartbeat', ref: 'still' })
    await old.reply('still')
    expect(old.frames.filter((frame) => !isReply(frame as JsonFrame))).toEqual([])
    for (const raw of [speaker, modern, old]) raw.socket.close()
  })
})

describe('limits', () => {
  it('of topics for each connection', async () => {
    const raw = await rawSocket(realtime)
    for (let i = 0; i < 5; i++) expect(await raw.join(`realtime:t${i}`)).toEqual(ok)
    expect(await raw.join('realtime:t5')).toEqual({
      status: 'error',
      response: { reason: 'ChannelRateLimitReached: Too many channels' },
    })
    // All at once, none of them joined yet: still no more than five.
    const other = await rawSocket(realtime)
    const replies = await Promise.all(Array.from({ length: 50 }, (_, i) => other.join(`realtime:u${i}`)))
    expect(replies.filter((reply) => reply.status === 'ok').length).toBeLessThanOrEqual(5)
    raw.socket.close()
    other.socket.close()
  })

  it('of a payload: refused with a reply, much larger ones close the connection', async () => {
    const raw = await rawSocket(realtime)
    await raw.join('realtime:large', { config: { broadcast: { ack: true } } })
    raw.send({ topic: 'realtime:large', event: 'broadcast', ref: 'big', payload: { x: 'x'.repeat(20_000) } })
    expect(await raw.reply('big')).toEqual({ status: 'error', response: 'payload_size_exceeded' })
    raw.send({
      topic: 'realtime:large',
      event: 'broadcast',
      ref: 'huge',
      payload: { x: 'x'.repeat(4_900_000) },
    })
    expect(await raw.reply('huge')).toEqual({ status: 'error', response: 'payload_size_exceeded' })
    raw.socket.send('x'.repeat(5_000_001))
    expect((await raw.closed).code).toBe(1009)
  })

  it('of a message from the database: it is dropped, later ones are not', async () => {
    const raw = await rawSocket(realtime)
    await raw.join('realtime:large')
    await realtime.sql(
      `select realtime.send(jsonb_build_object('x', repeat('x', 20000)), 'big', 'large', false)`,
    )
    await realtime.sql(`select realtime.send('{}', 'small', 'large', false)`)
    expect((await raw.find((frame) => frame.broadcast !== undefined)).broadcast?.event).toBe('small')
    raw.socket.close()
  })
})

describe('the upgrade', () => {
  it.each([
    ['/realtime/v1/websocket?vsn=2.0.0', 401],
    ['/realtime/v1/websocket?apikey=forged&vsn=2.0.0', 401],
    ['/realtime/v1/websocket?apikey=KEY&vsn=3.0.0', 403],
    ['/realtime/v1/elsewhere?apikey=KEY&vsn=2.0.0', 404],
    ['/realtime/v1/websocket?apikey=KEY', 101],
  ])('of %s gets %i', async (path, status) => {
    expect(await upgrade(path.replace('KEY', realtime.anonKey))).toBe(status)
  })
})
