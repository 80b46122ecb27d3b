import type { Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { heard, joined } from './listening.ts'
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
  for (let i = 0; i < 1_100; i++) {
    attacker.send({ topic: 'realtime:calm', event: 'phx_join', ref: '1', payload: privately(bea.token) })
  }
  expect(await attacker.closed).toMatchObject({ code: 1008 })
})

it.each(['of a topic', 'of none'])(
  'who asks for answers %s without reading them is dropped',
  async (which) => {
    const attacker = await rawSocket(home)
    const topic = `realtime:${'x'.repeat(1_000)}`
    await attacker.join(topic, { config: { broadcast: { ack: true } } })
    const before = home.service.stats().dropped
    lineOf(attacker.socket).pause()
    const asked = {
      topic: which === 'of none' ? `${topic}y` : topic,
      event: 'broadcast',
      ref: '1',
      payload: {},
    }
    const storm = setInterval(() => {
      for (let i = 0; i < 1_000; i++) attacker.send(asked)
    }, 1)
    await expect.poll(() => home.service.stats().dropped, { timeout: 20_000 }).toBe(before + 1)
    clearInterval(storm)
    attacker.socket.terminate()
  },
)

it('what is said in public topics whose names look like a private one reaches nobody there', async () => {
  const [witness, attacker] = [await rawSocket(home), await rawSocket(home)]
  const presence = { enabled: true, key: bea.id }
  await witness.join('realtime:calm', { ...privately(bea.token), config: { private: true, presence } })
  await witness.beat()
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
    attacker.send({ topic, event: 'broadcast', payload: { event: 'said', payload: {} } })
    await attacker.find((frame) => frame.topic === topic && !frame.broadcast && frame.event === 'broadcast')
    await attacker.find(
      (frame) => frame.topic === topic && !frame.broadcast && frame.event === 'presence_diff',
    )
  }
  await home.sql(`select realtime.send('{}', 'over', 'calm', true)`)
  await witness.find((frame) => frame.broadcast?.event === 'over')
  expect(witness.frames.slice(before)).toHaveLength(1)
  attacker.socket.close()
  witness.socket.close()
})

it('a topic that is joined and left without end, in public and in private, leaves nothing behind', async () => {
  const attackers = await Promise.all(Array.from({ length: 10 }, () => rawSocket(home)))
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
  await expect.poll(() => home.service.stats()).toMatchObject({ sockets: 0, topics: 0 })
})

it('who hands a topic on to another token speaks with the rights of that one, from the next frame on', async () => {
  const [speaker, listener, gus] = [await rawSocket(home), await rawSocket(home), await home.person()]
  await home.sql(
    `insert into public.members (room, user_id, speaks) values ('stage', $1, true), ('stage', $2, false)`,
    [bea.id, gus.id],
  )
  await listener.join('realtime:stage', privately(gus.token))
  await speaker.join('realtime:stage', privately(bea.token))
  const say = (event: string): void =>
    speaker.send({ topic: 'realtime:stage', event: 'broadcast', payload: { event, payload: {} } })
  const become = (token: string): void =>
    speaker.send({ topic: 'realtime:stage', event: 'access_token', payload: { access_token: token } })
  say('as bea')
  become(gus.token)
  say('as gus')
  become(bea.token)
  say('as bea again')
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

it('what shows somebody carries a ref of the server and nothing that is its own', async () => {
  const [attacker, witness] = [await rawSocket(home), await rawSocket(home)]
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

it('no message ends a process that listens through realtime-js', async () => {
  const client = await home.client()
  const channel = client.channel('bot', { config: { presence: { enabled: true } } })
  const calm = heard(channel, 'calm')
  await joined(channel)
  for (const version of ['1.0.0', '2.0.0'] as const) {
    const attacker = await rawSocket(home, version)
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
    await attacker.beat()
    attacker.socket.close()
  }
  await home.sql(`select realtime.send('{}', 'calm', 'bot', false)`)
  expect(await calm).toMatchObject({ event: 'calm' })
})
