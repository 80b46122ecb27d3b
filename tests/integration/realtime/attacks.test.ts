import type { Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { received, joined } from './channelEvents.ts'
import { rawSocket } from './rawSocket.ts'
import { startRealtime, type Person, type TestRealtime } from './startRealtime.ts'

let realtime: TestRealtime
let bea: Person

beforeAll(async () => {
  realtime = await startRealtime()
  bea = await realtime.person()
  await realtime.sql(`insert into public.members (room, user_id) values ('calm', $1)`, [bea.id])
})
afterAll(() => realtime.close())

const privately = (token?: string) => ({ config: { private: true }, access_token: token })
const lineOf = (socket: unknown): Socket => (socket as { _socket: Socket })._socket

it('a topic name with NUL is refused, and no other join of its batch', async () => {
  const [attacker, member] = [await rawSocket(realtime), await rawSocket(realtime)]
  const names = ['\0', 'a\0b', '\u{10ffff}', "'; drop table realtime.messages; --", '%', '\\']
  const attempts = names.map((name) => attacker.join(`realtime:${name}`, privately(bea.token)))
  const entered = member.join('realtime:calm', privately(bea.token))
  for (const attempt of attempts) expect(await attempt).toMatchObject({ status: 'error' })
  expect(await entered).toMatchObject({ status: 'ok' })
  attacker.socket.close()
  member.socket.close()
})

it('a client that sends pings without reading the pongs is dropped', async () => {
  const attacker = await rawSocket(realtime)
  const before = realtime.service.stats().dropped
  lineOf(attacker.socket).pause()
  const sendRequest = setInterval(() => {
    for (let i = 0; i < 2_000; i++) attacker.socket.ping('x'.repeat(125))
  }, 1)
  await expect.poll(() => realtime.service.stats().dropped).toBe(before + 1)
  clearInterval(sendRequest)
  attacker.socket.terminate()
})

it('a client that joins without end is cut off, others are not affected', async () => {
  const attacker = await rawSocket(realtime)
  for (let i = 0; i < 1_001; i++) attacker.send({ topic: 'realtime:loop', event: 'phx_join', ref: `${i}` })
  expect(await attacker.closed).toMatchObject({ code: 1008 })
  const other = await rawSocket(realtime)
  expect(await other.join('realtime:loop')).toMatchObject({ status: 'ok' })
  other.socket.close()
})

it('a client that floods a topic whose policies are being checked is cut off', async () => {
  const attacker = await rawSocket(realtime)
  attacker.send({ topic: 'realtime:calm', event: 'phx_join', ref: '1', payload: privately(bea.token) })
  for (let i = 0; i < 1_100; i++) {
    attacker.send({ topic: 'realtime:calm', event: 'phx_join', ref: '1', payload: privately(bea.token) })
  }
  expect(await attacker.closed).toMatchObject({ code: 1008 })
})

it.each(['of a topic', 'of none'])(
  'a client that requests replies %s without reading them is dropped',
  async (which) => {
    const attacker = await rawSocket(realtime)
    const topic = `realtime:${'x'.repeat(1_000)}`
    await attacker.join(topic, { config: { broadcast: { ack: true } } })
    const before = realtime.service.stats().dropped
    lineOf(attacker.socket).pause()
    const joinFrame = {
      topic: which === 'of none' ? `${topic}y` : topic,
      event: 'broadcast',
      ref: '1',
      payload: {},
    }
    const storm = setInterval(() => {
      for (let i = 0; i < 1_000; i++) attacker.send(joinFrame)
    }, 1)
    await expect.poll(() => realtime.service.stats().dropped).toBe(before + 1)
    clearInterval(storm)
    attacker.socket.terminate()
  },
)

it('messages in public topics with names like private ones are not delivered to private ones', async () => {
  const [witness, attacker] = [await rawSocket(realtime), await rawSocket(realtime)]
  const presence = { enabled: true, key: bea.id }
  await witness.join('realtime:calm', { ...privately(bea.token), config: { private: true, presence } })
  await witness.sendHeartbeat()
  const before = witness.frames.length
  const names = [
    'calm',
    'private:calm',
    ':calm',
    'realtime:calm',
    'calm ',
    'CALM',
    'calm\0',
    '%63alm',
    'cal\u006d',
  ]
  for (const name of names) {
    const topic = `realtime:${name}`
    expect(await attacker.join(topic, { config: { presence, broadcast: { self: true } } })).toMatchObject({
      status: 'ok',
    })
    attacker.send({ topic, event: 'presence', payload: { event: 'track', payload: { bea: true } } })
    attacker.send({ topic, event: 'broadcast', payload: { event: 'after', payload: {} } })
    await attacker.find((frame) => frame.topic === topic && !frame.broadcast && frame.event === 'broadcast')
    await attacker.find(
      (frame) => frame.topic === topic && !frame.broadcast && frame.event === 'presence_diff',
    )
  }
  await realtime.sql(`select realtime.send('{}', 'over', 'calm', true)`)
  await witness.find((frame) => frame.broadcast?.event === 'over')
  expect(witness.frames.slice(before)).toHaveLength(1)
  attacker.socket.close()
  witness.socket.close()
})

it('endless joins and leaves of a topic, public and private, leave no state', async () => {
  const attackers = await Promise.all(Array.from({ length: 10 }, () => rawSocket(realtime)))
  const topic = 'realtime:calm'
  for (const [at, attacker] of attackers.entries()) {
    for (let n = 0; n < 30; n++) {
      const payload = n % 3 === 0 ? {} : privately(bea.token)
      attacker.send({ topic, event: 'phx_join', joinRef: `${n}`, ref: `${n}`, payload })
      if (n % 2 === 0) attacker.send({ topic, event: 'phx_leave', joinRef: `${n}`, ref: `leave ${n}` })
    }
    // Half of them go in the middle of it.
    if (at % 2 === 0) attacker.socket.terminate()
  }
  for (const attacker of attackers.filter((_, at) => at % 2 === 1)) {
    expect(await attacker.reply('29')).toMatchObject({ status: 'ok' })
    attacker.send({ topic, event: 'phx_leave', ref: 'end' })
    expect(await attacker.reply('end')).toMatchObject({ status: 'ok' })
    const closed = attacker.frames.filter((frame) => !frame.broadcast && frame.event === 'phx_close')
    expect(closed).toHaveLength(30)
    attacker.socket.close()
  }
  await expect.poll(() => realtime.service.stats()).toMatchObject({ sockets: 0, topics: 0 })
})

it('after a change of its token a topic has the permissions of the new one, from the next frame on', async () => {
  const [speaker, listener, gus] = [
    await rawSocket(realtime),
    await rawSocket(realtime),
    await realtime.person(),
  ]
  await realtime.sql(
    `insert into public.members (room, user_id, speaks) values ('stage', $1, true), ('stage', $2, false)`,
    [bea.id, gus.id],
  )
  await listener.join('realtime:stage', privately(gus.token))
  await speaker.join('realtime:stage', privately(bea.token))
  const sendEvent = (event: string): void =>
    speaker.send({ topic: 'realtime:stage', event: 'broadcast', payload: { event, payload: {} } })
  const become = (token: string): void =>
    speaker.send({ topic: 'realtime:stage', event: 'access_token', payload: { access_token: token } })
  sendEvent('as bea')
  become(gus.token)
  sendEvent('as gus')
  become(bea.token)
  sendEvent('as bea again')
  const names = (): unknown[] =>
    listener.frames
      .map((frame) => frame as { event?: string; payload?: { event?: string } })
      .filter(({ event }) => event === 'broadcast')
      .map(({ payload }) => payload?.event)
  await expect.poll(names).toContain('as bea again')
  expect(names()).toEqual(['as bea', 'as bea again'])
  speaker.socket.close()
  listener.socket.close()
})

it('a presence meta has a ref of the server, never of the client', async () => {
  const [attacker, witness] = [await rawSocket(realtime), await rawSocket(realtime)]
  const config = { config: { presence: { enabled: true, key: 'omar' } } }
  await attacker.join('realtime:porch', config)
  const forged = { phx_ref: 'mine', phx_ref_prev: 'before', presence_ref: 'mine', metas: [], __proto__: null }
  attacker.send({
    topic: 'realtime:porch',
    event: 'presence',
    ref: 'track',
    payload: { event: 'track', payload: forged, key: 'bea', phx_ref: 'mine' },
  })
  expect(await attacker.reply('track')).toMatchObject({ status: 'ok' })
  await witness.join('realtime:porch', config)
  const state = await witness.find((frame) => !frame.broadcast && frame.event === 'presence_state')
  const { payload } = state as { payload: Record<string, { metas: Record<string, unknown>[] }> }
  expect(Object.keys(payload)).toEqual(['omar'])
  const [meta] = payload['omar']!.metas
  expect(meta!['phx_ref']).not.toBe('mine')
  expect(meta).not.toHaveProperty('phx_ref_prev')
  attacker.socket.close()
  witness.socket.close()
})

it('no message ends a process that subscribes through realtime-js', async () => {
  const client = await realtime.client()
  const channel = client.channel('bot', { config: { presence: { enabled: true } } })
  const calm = received(channel, 'calm')
  await joined(channel)
  for (const version of ['1.0.0', '2.0.0'] as const) {
    const attacker = await rawSocket(realtime, version)
    const change = { ids: [1], data: null, meta: null, event: 'x', payload: null, type: 'broadcast' }
    for (const payload of [
      null,
      0,
      [],
      change,
      { ids: null },
      { ids: 7, event: null },
      { event: {} },
      { event: 7 },
    ]) {
      const key = payload === null ? '__proto__' : 'constructor'
      await attacker.join('realtime:bot', { config: { presence: { key } } })
      attacker.send({ topic: 'realtime:bot', event: 'broadcast', payload })
      attacker.send({ topic: 'realtime:bot', event: 'presence', payload: { event: 'track', payload } })
    }
    await attacker.sendHeartbeat()
    attacker.socket.close()
  }
  await realtime.sql(`select realtime.send('{}', 'calm', 'bot', false)`)
  expect(await calm).toMatchObject({ event: 'calm' })
})
