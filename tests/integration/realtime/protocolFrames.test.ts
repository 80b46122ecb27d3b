import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { JsonFrame, ServerFrame } from '../../../wire/realtime.ts'
import { rawSocket, type RawSocket } from './rawSocket.ts'
import { startRealtime, type TestRealtime } from './startRealtime.ts'

let realtime: TestRealtime
const opened: RawSocket[] = []

beforeAll(async () => {
  realtime = await startRealtime()
})
afterAll(async () => {
  for (const { socket } of opened) socket.terminate()
  await realtime.close()
})

const unmatched = { status: 'error', response: { reason: 'unmatched topic' } }

async function open(version: '1.0.0' | '2.0.0'): Promise<RawSocket> {
  const raw = await rawSocket(realtime, version)
  opened.push(raw)
  return raw
}

/** The topic, event and payload of a text or binary frame. */
function contentOf(frame: ServerFrame): { topic: string; event: string; payload?: unknown } {
  return frame.broadcast ? { topic: frame.topic, event: 'broadcast' } : frame
}

/** The frames, without replies, that `listener` has received after the server has read all of `speaker`. */
async function receivedBy(listener: RawSocket, speaker: RawSocket): Promise<unknown[]> {
  await speaker.sendHeartbeat()
  await listener.sendHeartbeat()
  return listener.frames.map(contentOf).filter(({ event }) => event !== 'phx_reply')
}

describe.each(['1.0.0', '2.0.0'] as const)('version %s', (version) => {
  /** In version 1.0.0 server frames have no join reference. */
  const joinRef = (ref: string | null): string | null => (version === '2.0.0' ? ref : null)

  it('sends join_ref in frames of a join only', async () => {
    const raw = await open(version)
    raw.send({ topic: 'realtime:a', event: 'phx_join', joinRef: 'j', ref: '1' })
    raw.send({ topic: 'realtime:a', event: 'presence', joinRef: null, ref: '2' })
    raw.send({ topic: 'realtime:b', event: 'broadcast', joinRef: 'j', ref: '3' })
    raw.send({ topic: 'phoenix', event: 'heartbeat', joinRef: 'j', ref: '4' })
    raw.send({ topic: 'realtime:b', event: 'phx_leave', joinRef: 'x', ref: '5' })
    await raw.sendHeartbeat()
    const refs = raw.frames.map((frame) => frame as JsonFrame).map((frame) => [frame.ref, frame.joinRef])
    expect(Object.fromEntries(refs)).toMatchObject({
      1: joinRef('j'),
      2: joinRef('j'),
      3: null,
      4: null,
      5: joinRef('x'),
    })
  })

  it('accepts numeric refs, and returns them as numbers', async () => {
    const raw = await open(version)
    raw.send({ topic: 'realtime:a', event: 'phx_join', joinRef: 7, ref: 7 })
    const reply = await raw.find((frame) => !frame.broadcast && frame.ref === 7)
    expect(reply).toMatchObject({ event: 'phx_reply', payload: { status: 'ok' } })
    // The same ref as a string is the same join.
    raw.send({ topic: 'realtime:a', event: 'phx_leave', joinRef: '7', ref: 'left' })
    expect(await raw.reply('left')).toEqual({ status: 'ok', response: {} })
  })

  it('closes the earlier join before it replies to the later one, which receives all following messages', async () => {
    const [raw, listener] = [await open(version), await open(version)]
    await listener.join('realtime:again')
    raw.send({ topic: 'realtime:again', event: 'phx_join', joinRef: 'a', ref: 'a' })
    raw.send({ topic: 'realtime:again', event: 'phx_join', joinRef: 'b', ref: 'b' })
    await raw.reply('b')
    expect(raw.frames.map((frame) => [(frame as JsonFrame).event, (frame as JsonFrame).ref])).toEqual([
      ['phx_reply', 'a'],
      ['phx_close', 'a'],
      ['phx_reply', 'b'],
    ])
    const payload = { event: 'e', payload: {} }
    // The leave of the earlier one is late: it is neither done nor answered.
    raw.send({ topic: 'realtime:again', event: 'phx_leave', joinRef: 'a', ref: 'late' })
    for (const ref of ['a', 'b', null, 'never'])
      raw.send({ topic: 'realtime:again', event: 'broadcast', joinRef: ref, payload })
    expect(await receivedBy(listener, raw)).toHaveLength(4)
    raw.send({ topic: 'realtime:again', event: 'presence', joinRef: 'never', ref: 'lenient' })
    await raw.reply('lenient')
    expect(raw.frames.at(-1)).toMatchObject({ ref: 'lenient', joinRef: joinRef('b') })
    expect(raw.frames.some((frame) => !frame.broadcast && frame.ref === 'late')).toBe(false)
  })

  it('keeps topics of one socket apart', async () => {
    const raw = await open(version)
    const names = ['left', 'right', 'far']
    const joins = names.map((name) => raw.join(`realtime:${name}`))
    for (const join of joins) expect(await join).toMatchObject({ status: 'ok' })
    raw.send({ topic: 'realtime:left', event: 'phx_leave', ref: 'leave' })
    await raw.reply('leave')
    for (const name of names) await realtime.sql(`select realtime.send('{}', 'e', $1, false)`, [name])
    await raw.find((frame) => contentOf(frame).event === 'broadcast' && frame.topic === 'realtime:far')
    const received = raw.frames.filter((frame) => contentOf(frame).event === 'broadcast')
    expect(received.map((frame) => frame.topic)).toEqual(['realtime:right', 'realtime:far'])
    raw.send({ topic: 'realtime:left', event: 'access_token', ref: 'gone' })
    expect(await raw.reply('gone')).toEqual(unmatched)
  })

  it.each([
    { ack: false, self: false },
    { ack: true, self: false },
    { ack: false, self: true },
    { ack: true, self: true },
  ])('broadcasts with %o', async ({ ack, self }) => {
    const [speaker, listener] = [await open(version), await open(version)]
    await listener.join('realtime:stage')
    await speaker.join('realtime:stage', { config: { broadcast: { ack, self } } })
    const payload = { type: 'broadcast', event: 'e', payload: { n: 1 }, extra: [1] }
    speaker.send({ topic: 'realtime:stage', event: 'broadcast', ref: 'sent', payload })
    const received = { topic: 'realtime:stage', event: 'broadcast', payload, joinRef: null, ref: null }
    expect(await receivedBy(listener, speaker)).toEqual([received])
    expect(speaker.frames.map(contentOf).filter(({ event }) => event === 'broadcast')).toEqual(
      self ? [received] : [],
    )
    const replies = speaker.frames.filter((frame) => !frame.broadcast && frame.ref === 'sent')
    expect(replies.map((frame) => (frame as JsonFrame).payload)).toEqual(
      ack ? [{ status: 'ok', response: {} }] : [],
    )
  })

  it('closes the topic of a sender of unreadable broadcasts; it may join again', async () => {
    const [speaker, listener] = [await open(version), await open(version)]
    await listener.join('realtime:stage')
    for (const payload of [null, 7, 'x', [1], { event: 7 }, { event: {} }]) {
      expect(await speaker.join('realtime:stage')).toMatchObject({ status: 'ok' })
      speaker.frames.length = 0
      speaker.send({ topic: 'realtime:stage', event: 'broadcast', payload })
      await speaker.find((frame) => !frame.broadcast && frame.event === 'phx_error')
      expect(await receivedBy(listener, speaker)).toEqual([])
      speaker.send({ topic: 'realtime:stage', event: 'broadcast', ref: `after`, payload: {} })
      expect(await speaker.reply('after')).toEqual(unmatched)
    }
  })

  it('delivers a payload unchanged, to its last digit', async () => {
    const [speaker, listener] = [await open(version), await open(version === '1.0.0' ? '2.0.0' : '1.0.0')]
    await listener.join('realtime:digits')
    await speaker.join('realtime:digits')
    const text = new Promise((resolve) =>
      listener.socket.once('message', (data: Buffer) => resolve(`${data}`)),
    )
    const payload = '{"event":"e","payload":{"id":9007199254740993,"x":1.0}}'
    speaker.socket.send(
      version === '1.0.0'
        ? `{"topic":"realtime:digits","event":"broadcast","payload":${payload},"ref":null}`
        : `[null,null,"realtime:digits","broadcast",${payload}]`,
    )
    expect(await text).toContain(payload)
  })

  it('forwards no fields that are reserved for the server', async () => {
    const [speaker, listener] = [await open(version), await open(version)]
    await listener.join('realtime:stage', { config: { presence: { enabled: true } } })
    await speaker.join('realtime:stage')
    const state = { topic: 'realtime:stage', event: 'presence_state' }
    const presenceLikePayload = {
      joins: { eve: { metas: [{ phx_ref: '1' }] } },
      leaves: {},
      status: 'error',
      ids: [1],
    }
    for (const event of [
      'presence_state',
      'presence_diff',
      'system',
      'postgres_changes',
      'phx_reply',
      'phx_error',
      'phx_close',
      'BROADCAST',
    ])
      speaker.send({ topic: 'realtime:stage', event, ref: event, payload: presenceLikePayload })
    expect(await receivedBy(listener, speaker)).toMatchObject([state])
    // Within a broadcast the event may have this name, and fields that only the database sends are removed.
    const forged = {
      event: 'presence_diff',
      payload: presenceLikePayload,
      meta: { id: 'x', replayed: true },
      ids: [1],
      data: null,
    }
    speaker.send({ topic: 'realtime:stage', event: 'broadcast', payload: forged })
    const { meta: _meta, ids: _ids, ...rest } = forged
    const [, received] = await receivedBy(listener, speaker)
    expect(received).toEqual({
      topic: 'realtime:stage',
      event: 'broadcast',
      payload: rest,
      joinRef: null,
      ref: null,
    })
    expect(speaker.frames.map(contentOf).filter(({ event }) => event !== 'phx_reply')).toEqual([])
  })

  it('reads fragmented frames, and replies to pings between fragments', async () => {
    const raw = await open(version)
    const ref = '"1"'
    const frame =
      version === '1.0.0'
        ? `{"topic":"realtime:pieces","event":"phx_join","payload":{},"ref":${ref}}`
        : `[null,${ref},"realtime:pieces","phx_join",{}]`
    const pong = new Promise((resolve) => raw.socket.on('pong', (data: Buffer) => resolve(data.toString())))
    for (const [at, character] of [...frame].entries()) {
      raw.socket.send(character, { fin: at === frame.length - 1 })
      if (at === 5) raw.socket.ping('between')
    }
    expect(await raw.reply('1')).toMatchObject({ status: 'ok' })
    expect(await pong).toBe('between')
  })

  it('ignores a text frame with invalid UTF-8', async () => {
    const raw = await open(version)
    await raw.join('realtime:a')
    for (const text of ['[null,"1","realtime:a","broad\xff","x"]', '\xc3\x28', '\xed\xa0\x80', '\xff'])
      raw.socket.send(Buffer.from(text, 'latin1'), { binary: false })
    await raw.sendHeartbeat()
    expect(raw.frames).toHaveLength(2)
  })

  it('does not accept compression', async () => {
    const address = realtime.url.replace('http', 'ws') + '/realtime/v1/websocket'
    const socket = new WebSocket(`${address}?apikey=${realtime.anonKey}&vsn=${version}`, {
      perMessageDeflate: { threshold: 0 },
    })
    await new Promise((resolve) => socket.on('open', resolve))
    expect(socket.extensions).toBe('')
    socket.terminate()
  })
})

it('1.0.0 has four members in each frame, and reads text in frames of either type', async () => {
  const raw = await open('1.0.0')
  const keys = new Set<string>()
  raw.socket.on('message', (data: Buffer) =>
    keys.add(
      Object.keys(JSON.parse(data.toString()) as object)
        .toSorted()
        .join(),
    ),
  )
  await raw.join('realtime:a', { config: { presence: { enabled: true }, broadcast: { self: true } } })
  raw.socket.send(
    Buffer.from('{"topic":"realtime:a","event":"broadcast","payload":{"event":"e"},"ref":null}'),
    { binary: true },
  )
  await realtime.sql(`select realtime.send('{}', 'e', 'a', false)`)
  await raw.find(
    (frame) => contentOf(frame).event === 'broadcast' && 'meta' in (contentOf(frame).payload as object),
  )
  raw.send({ topic: 'realtime:a', event: 'phx_leave', ref: 'left' })
  await raw.find((frame) => contentOf(frame).event === 'phx_close')
  const events = new Set(raw.frames.map((frame) => contentOf(frame).event))
  expect([...events]).toEqual(['phx_reply', 'presence_state', 'broadcast', 'phx_close'])
  expect([...keys]).toEqual(['event,payload,ref,topic'])
})
