import type { RealtimeChannel } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { received, joined } from './channelEvents.ts'
import { startRealtime, type Person, type TestRealtime } from './startRealtime.ts'

let realtime: TestRealtime
let bea: Person

beforeAll(async () => {
  realtime = await startRealtime()
  bea = await realtime.person()
  await realtime.sql(
    `insert into public.members (room, user_id, speaks) select room, $1, true
     from unnest(array['kept:1', 'kept:2', 'kept:3', 'kept:4', 'passing']) room`,
    [bea.id],
  )
  await realtime.sql(
    `create policy "speakers of kept rooms are kept" on realtime.messages for insert to authenticated
     with check (extension = 'persistence' and (select realtime.topic()) like 'kept:%'
       and (select realtime.topic()) in (select app.rooms(true, false)))`,
  )
})
afterAll(() => realtime.close())

async function channelOf(room: string, broadcast: object = {}): Promise<RealtimeChannel> {
  return (await realtime.client(bea.token)).channel(room, { config: { private: true, broadcast } })
}

const stored = async (room: string): Promise<string[]> =>
  (
    await realtime.sql<{ event: string }>(
      'select event from realtime.messages where topic = $1 order by inserted_at, ctid',
      [room],
    )
  ).rows.map((row) => row.event)

/** The stored messages that a client receives when it joins now. */
async function replayed(room: string): Promise<[string, unknown][]> {
  const channel = await channelOf(room, { replay: { since: Date.now() - 60_000 } })
  const events: [string, unknown][] = []
  channel.on('broadcast', { event: '*' }, ({ event, payload, meta }) => {
    if (meta?.replayed)
      events.push([event, payload instanceof ArrayBuffer ? [...new Uint8Array(payload)] : payload])
  })
  const mark = received(channel, 'mark')
  await joined(channel)
  await realtime.sql(`select realtime.send('{}', 'mark', $1, true)`, [room])
  await mark
  return events
}

it('stores messages with persist: published once, replayed later, in order', async () => {
  const [speaker, listener] = [await channelOf('kept:1', { ack: true }), await channelOf('kept:1')]
  const events: string[] = []
  listener.on('broadcast', { event: '*' }, ({ event }) => events.push(event))
  const mark = received(listener, 'mark')
  await Promise.all([joined(speaker), joined(listener)])
  const send = (event: string, payload: unknown, persist?: boolean | { ttl?: number }) =>
    speaker.send({ type: 'broadcast', event, payload, ...(persist === undefined ? {} : { persist }) })
  expect(await send('first', { n: 1 }, true)).toBe('ok')
  expect(await send('bytes', new Uint8Array([7, 0]).buffer, {})).toBe('ok')
  expect(await send('passing', {})).toBe('ok')
  expect(await Promise.all([1, 2, 3].map((n) => send(`many${n}`, { n }, true)))).toEqual(['ok', 'ok', 'ok'])
  await realtime.sql(`select realtime.send('{}', 'mark', 'kept:1', true)`)
  await mark
  expect(events).toEqual(['first', 'bytes', 'passing', 'many1', 'many2', 'many3', 'mark'])
  expect(await replayed('kept:1')).toEqual([
    ['first', { n: 1 }],
    ['bytes', [7, 0]],
    ['many1', { n: 1 }],
    ['many2', { n: 2 }],
    ['many3', { n: 3 }],
    ['mark', expect.anything()],
  ])
})

it('stores messages of HTTP, JSON and binary', async () => {
  const listener = await channelOf('kept:2')
  const last = received(listener, 'bytes')
  await joined(listener)
  const speaker = await channelOf('kept:2')
  expect(await speaker.httpSend('json', { n: 1 }, { persist: true })).toEqual({ success: true })
  expect(await speaker.httpSend('bytes', new Uint8Array([1, 2]), { persist: { ttl: 600 } })).toEqual({
    success: true,
  })
  expect((await last)['meta']).toEqual({ id: expect.any(String) })
  expect(await replayed('kept:2')).toEqual([
    ['json', { n: 1 }],
    ['bytes', [1, 2]],
  ])
})

it('stores no longer than the requested time', async () => {
  const speaker = await channelOf('kept:3')
  await speaker.httpSend('short', {}, { persist: { ttl: 1 } })
  await speaker.httpSend('long', {}, { persist: { ttl: 3600 } })
  await expect
    .poll(() => replayed('kept:3').then((events) => events.map(([event]) => event)))
    .toEqual(expect.not.arrayContaining(['short']))
  expect((await replayed('kept:3')).map(([event]) => event)).toContain('long')
})

it('refuses senders without permission to store, and then does not publish', async () => {
  const [speaker, listener] = [await channelOf('passing', { ack: true }), await channelOf('passing')]
  const events: string[] = []
  listener.on('broadcast', { event: '*' }, ({ event }) => events.push(event))
  const mark = received(listener, 'mark')
  await Promise.all([joined(speaker), joined(listener)])
  expect(await speaker.send({ type: 'broadcast', event: 'kept', payload: {}, persist: true })).toBe(
    'Unauthorized: You do not have permissions to store messages of this Channel topic: passing',
  )
  await expect(speaker.httpSend('kept', {}, { persist: true })).rejects.toThrow('Unauthorized')
  await speaker.send({ type: 'broadcast', event: 'mark', payload: {} })
  await mark
  expect(events).toEqual(['mark'])
  expect(await stored('passing')).toEqual([])
})

it('reports a message that could not be stored, and stores those of the same batch', async () => {
  const speaker = await channelOf('kept:4', { ack: true })
  await joined(speaker)
  const send = (event: string, payload: unknown, persist: unknown = true) =>
    speaker.send({ type: 'broadcast', event, payload, persist } as Parameters<RealtimeChannel['send']>[0])
  expect(
    await Promise.all([
      send('before', {}),
      // PostgreSQL has no such character.
      send('nul', { x: '\0' }),
      send('after', {}),
      send('never', {}, { ttl: -1 }),
      send('never', {}, 'forever'),
    ]),
  ).toEqual([
    'ok',
    'UnableToPersistMessage: The message was sent but could not be stored',
    'ok',
    'InvalidPersist: persist is true or {ttl: seconds}',
    'InvalidPersist: persist is true or {ttl: seconds}',
  ])
  expect(await stored('kept:4')).toEqual(['before', 'after'])
})
