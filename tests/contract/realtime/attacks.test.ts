import { constantFrom, json, oneof, sample, tuple, uint8Array } from 'fast-check'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rawSocket } from './rawSocket.ts'
import { startRealtimeHome, type Person, type RealtimeHome } from './realtimeHome.ts'

let home: RealtimeHome
let bea: Person

beforeAll(async () => {
  home = await startRealtimeHome()
  bea = await home.person()
  await home.sql(`insert into public.members (room, user_id) values ('calm', $1)`, [bea.id])
})
afterAll(() => home.close())

const privately = (token?: string) => ({ config: { private: true }, access_token: token })
const lineOf = (socket: unknown): Socket => (socket as { _socket: Socket })._socket

it('a topic that PostgreSQL can not hold refuses itself and nobody who asks with it', async () => {
  const [attacker, member] = [await rawSocket(home), await rawSocket(home)]
  const names = ['\0', 'a\0b', '\u{10ffff}', "'; drop table realtime.messages; --", '%', '\\']
  const attempts = names.map((name) => attacker.join(`realtime:${name}`, privately(bea.token)))
  const entered = member.join('realtime:calm', privately(bea.token))
  for (const attempt of attempts) expect(await attempt).toMatchObject({ status: 'error' })
  expect(await entered).toMatchObject({ status: 'ok' })
  attacker.socket.close()
  member.socket.close()
})

it('who asks without reading the answers is dropped', async () => {
  const attacker = await rawSocket(home)
  const before = home.service.stats().dropped
  lineOf(attacker.socket).pause()
  const ask = setInterval(() => {
    for (let i = 0; i < 2_000; i++) attacker.socket.ping('x'.repeat(125))
  }, 1)
  await expect.poll(() => home.service.stats().dropped, { timeout: 20_000 }).toBe(before + 1)
  clearInterval(ask)
  attacker.socket.terminate()
})

it('who joins without end is cut off, others go on', async () => {
  const attacker = await rawSocket(home)
  for (let i = 0; i < 1_001; i++) attacker.send({ topic: 'realtime:loop', event: 'phx_join', ref: `${i}` })
  expect(await attacker.closed).toMatchObject({ code: 1008 })
  const other = await rawSocket(home)
  expect(await other.join('realtime:loop')).toMatchObject({ status: 'ok' })
  other.socket.close()
})

it('who sends much into a topic that is still asked about is cut off', async () => {
  const attacker = await rawSocket(home)
  attacker.send({ topic: 'realtime:calm', event: 'phx_join', ref: '1', payload: privately(bea.token) })
  for (let i = 0; i < 200; i++) {
    attacker.send({ topic: 'realtime:calm', event: 'phx_join', ref: '1', payload: privately(bea.token) })
  }
  expect(await attacker.closed).toMatchObject({ code: 1008 })
})

it('10,000 frames of nonsense end nothing and reach nobody', async () => {
  const [witness, attacker, old] = [
    await rawSocket(home),
    await rawSocket(home),
    await rawSocket(home, '1.0.0'),
  ]
  await witness.join('realtime:calm', privately(bea.token))
  const names = constantFrom('realtime:calm', 'realtime:own', 'phoenix', 'realtime:', 'x')
  const events = constantFrom(
    'broadcast',
    'presence',
    'access_token',
    'phx_leave',
    'heartbeat',
    'odd',
    'presence_diff',
  )
  const text = tuple(names, events, json({ maxDepth: 5 })).map(
    ([topic, event, payload]) => `[null,"1",${JSON.stringify(topic)},"${event}",${payload}]`,
  )
  const object = tuple(names, events, json()).map(
    ([topic, event, payload]) =>
      `{"topic":${JSON.stringify(topic)},"event":"${event}","payload":${payload},"ref":"1"}`,
  )
  const binary = tuple(uint8Array({ maxLength: 6 }), names, uint8Array({ maxLength: 60 })).map(
    ([head, topic, rest]) =>
      Buffer.concat([Buffer.from([3, 0, 0, topic.length, ...head]), Buffer.from(topic), rest]),
  )
  const frames = sample(oneof(text, object, binary, uint8Array({ maxLength: 30 }), json()), 10_000)
  const before = witness.frames.length
  for (const [at, frame] of frames.entries()) {
    const raw = at % 2 === 0 ? attacker : old
    if (at % 100 === 0) await raw.join('realtime:own')
    raw.socket.send(frame)
  }
  for (const raw of [attacker, old, witness]) {
    raw.send({ topic: 'phoenix', event: 'heartbeat', ref: 'end' })
    expect(await raw.reply('end')).toMatchObject({ status: 'ok' })
  }
  expect(witness.frames.slice(before)).toHaveLength(1)
  for (const raw of [attacker, old, witness]) raw.socket.close()
})
