import { afterAll, beforeAll, expect, it } from 'vitest'
import type { JsonFrame, ServerFrame } from '../../../wire/realtime.ts'
import { rawSocket, type RawSocket } from './rawSocket.ts'
import { startRealtime, type TestRealtime } from './startRealtime.ts'

let realtime: TestRealtime
let speaker: RawSocket
let modern: RawSocket
let old: RawSocket

beforeAll(async () => {
  realtime = await startRealtime({ max_payload_size_in_kb: 10 })
  speaker = await rawSocket(realtime)
  modern = await rawSocket(realtime)
  old = await rawSocket(realtime, '1.0.0')
  for (const raw of [speaker, modern, old])
    expect(await raw.join('realtime:b', { config: { broadcast: { ack: true } } })).toMatchObject({
      status: 'ok',
    })
})
afterAll(async () => {
  for (const { socket } of [speaker, modern, old]) socket.terminate()
  await realtime.close()
})

interface Push {
  kind?: number
  joinRef?: string
  ref?: string
  topic?: string
  event?: string
  meta?: string
  encoding?: number
  body?: Uint8Array | string
}

/** The bytes of a binary push, written here once more so that no error of the server's codec hides. */
function push(o: Push): Buffer {
  const { kind = 3, joinRef = '', ref = '', topic = 'realtime:b', event = 'e', meta = '', encoding = 1 } = o
  const strings = [joinRef, ref, topic, event, meta].map((text) => Buffer.from(text))
  const lengths = strings.map((text) => text.length)
  return Buffer.concat([
    Buffer.from([kind, ...lengths, encoding]),
    ...strings,
    Buffer.from(o.body ?? '{"n":1}'),
  ])
}

/** The frames that both subscribers received for these pushes, after the server had read them. */
async function receivedOf(...pushes: Push[]): Promise<{ modern: ServerFrame[]; old: ServerFrame[] }> {
  const listeners = [modern, old]
  for (const raw of [...listeners, speaker]) raw.frames.length = 0
  for (const each of pushes) speaker.socket.send(push(each))
  await speaker.sendHeartbeat()
  const received = async (raw: RawSocket): Promise<ServerFrame[]> => {
    await raw.sendHeartbeat()
    return raw.frames.filter((frame) => frame.broadcast || frame.event !== 'phx_reply')
  }
  return { modern: await received(modern), old: await received(old) }
}

it('a broadcast is sent as bytes to 2.0.0 and as text to 1.0.0', async () => {
  const event = 'día 👋'
  const received = await receivedOf({ event, body: '{"id":9007199254740993,"x":1.0}' })
  expect(received.modern).toEqual([
    {
      topic: 'realtime:b',
      broadcast: {
        event,
        encoding: 'json',
        meta: null,
        body: Buffer.from('{"id":9007199254740993,"x":1.0}'),
      },
    },
  ])
  expect(received.old).toMatchObject([
    { topic: 'realtime:b', event: 'broadcast', payload: { type: 'broadcast', event, payload: { x: 1 } } },
  ])
})

it.each([
  [0, 'binary'],
  [1, 'json'],
  [2, 'json'],
  [255, 'json'],
])('encoding %i is %s', async (encoding, expected) => {
  const received = await receivedOf({ encoding })
  expect(received.modern).toMatchObject([{ broadcast: { encoding: expected } }])
  expect(received.old).toHaveLength(expected === 'json' ? 1 : 0)
})

it('acknowledges with the refs of the frame', async () => {
  await receivedOf({ joinRef: 'x', ref: 'mine' })
  expect(await speaker.reply('mine')).toEqual({ status: 'ok', response: {} })
  await receivedOf({ ref: 'large', body: JSON.stringify('x'.repeat(20_000)) })
  expect(await speaker.reply('large')).toEqual({ status: 'error', response: 'payload_size_exceeded' })
  await receivedOf({ ref: 'lost', topic: 'realtime:elsewhere' })
  expect(await speaker.reply('lost')).toMatchObject({ response: { reason: 'unmatched topic' } })
  const { modern: received } = await receivedOf({})
  expect(received).toHaveLength(1)
  const replies = speaker.frames.filter((frame) => (frame as JsonFrame).topic === 'realtime:b')
  expect(replies).toMatchObject([{ ref: null, payload: { status: 'ok' } }])
})

it('forwards no metadata, which only messages of the database have', async () => {
  const { modern: received } = await receivedOf({ meta: '{"id":"x","replayed":true}' })
  expect(received).toMatchObject([{ broadcast: { meta: null } }])
})

it('carries any bytes, no bytes, and any JSON', async () => {
  const bodies = ['', '\0', Buffer.from([255, 254])]
  const bytes = await receivedOf(...bodies.map((body) => ({ encoding: 0, body })))
  expect(bytes.modern.map((frame) => frame.broadcast?.body.length)).toEqual([0, 1, 2])
  const values = ['null', '7', '"x"', '[]', ' {} ']
  const json = await receivedOf(...values.map((body) => ({ body })))
  expect(json.modern.map((frame) => Buffer.from(frame.broadcast!.body).toString())).toEqual(values)
  expect(json.old).toHaveLength(values.length)
})

it('ignores malformed frames, and continues', async () => {
  const received = await receivedOf(
    { body: '' },
    { body: '{' },
    { body: '1},"topic":"realtime:other","x":{"y":1' },
    { body: Buffer.from([0x22, 255, 0x22]) },
    { meta: '{' },
    { meta: '"text"' },
    { kind: 4 },
    { kind: 255 },
    { event: 'after' },
  )
  expect(received.modern).toMatchObject([{ broadcast: { event: 'after' } }])
  expect(received.old).toHaveLength(1)
})

it('carries the event name, which is never one of the protocol', async () => {
  for (const event of ['phx_leave', 'phx_join', 'access_token', 'presence', 'heartbeat', '']) {
    const received = await receivedOf({ event })
    expect(received.modern).toMatchObject([{ broadcast: { event } }])
    expect(received.old).toMatchObject([{ event: 'broadcast', payload: { event } }])
  }
})

it('a broadcast is sent as text if its name is too long for a binary frame', async () => {
  const topic = `realtime:${'т'.repeat(200)}`
  for (const raw of [speaker, modern, old]) expect(await raw.join(topic)).toMatchObject({ status: 'ok' })
  for (const raw of [modern, old]) raw.frames.length = 0
  speaker.send({ topic, event: 'broadcast', payload: { event: 'e', payload: {} } })
  await realtime.sql(`select realtime.send('{"n": 1}', 'from SQL', $1, false)`, [
    topic.slice('realtime:'.length),
  ])
  for (const raw of [modern, old]) {
    const isLast = (frame: ServerFrame): boolean =>
      !frame.broadcast && (frame.payload as { event?: string }).event === 'from SQL'
    expect(await raw.find(isLast)).toMatchObject({ topic, payload: { payload: { n: 1 } } })
    expect(raw.frames).toHaveLength(2)
  }
})
