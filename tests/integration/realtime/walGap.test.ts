import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ServerFrame } from '../../../wire/realtime.ts'
import { dropSlot } from './dropSlot.ts'
import { rawSocket } from './rawSocket.ts'
import { startRealtime, type TestRealtime } from './startRealtime.ts'

let realtime: TestRealtime

const numberOf = ({ broadcast }: ServerFrame): unknown =>
  (JSON.parse(Buffer.from(broadcast!.body).toString()) as { n: unknown }).n

beforeAll(async () => {
  realtime = await startRealtime()
})
afterAll(() => realtime.close())

it('lost WAL is replaced from the table: clients receive everything, metrics report it', async () => {
  const raw = await rawSocket(realtime)
  await raw.join('realtime:room')
  await dropSlot(realtime)
  await realtime.sql(`select realtime.send('{}', 'sent', 'room', false)`)
  await raw.find((frame) => frame.broadcast?.event === 'sent')
  expect(raw.frames.some((frame) => !frame.broadcast && frame.event === 'system')).toBe(false)
  expect(realtime.service.stats().walGaps).toBe(1)
  raw.socket.close()
})

it('a bulk insert above the limit of the WAL: clients receive every message once, and later ones', async () => {
  const raw = await rawSocket(realtime)
  await raw.join('realtime:room')
  const gaps = realtime.service.stats().walGaps
  const admin = realtime.connections(1, 'supabase_admin')
  await admin.query(`alter system set max_slot_wal_keep_size = '1MB'`)
  await admin.query('select pg_reload_conf()')
  await realtime.sql('create table public.imported (x text)')
  await realtime.connections(1).transaction(async (client) => {
    await client.query(
      `insert into realtime.messages (payload, event, topic, private, extension)
       select jsonb_build_object('n', n), 'imported', 'room', false, 'broadcast' from generate_series(1, 3000) n`,
    )
    // PostgreSQL needs the WAL from the start of this transaction until it has ended.
    for (let segment = 0; segment < 3; segment++) {
      await client.query(
        'insert into public.imported select repeat(md5(n::text), 30) from generate_series(1, 5000) n',
      )
      await admin.query('select pg_switch_wal()')
    }
    await admin.query('checkpoint')
    await expect.poll(() => realtime.service.stats().walGaps).toBeGreaterThan(gaps)
  })
  const isImported = (frame: ServerFrame): boolean => frame.broadcast?.event === 'imported'
  await expect.poll(() => raw.frames.filter(isImported).length).toBe(3_000)
  await admin.query('alter system reset max_slot_wal_keep_size')
  await admin.query('select pg_reload_conf()')
  await realtime.sql(`select realtime.send('{}', 'after the import', 'room', false)`)
  await raw.find((frame) => frame.broadcast?.event === 'after the import')
  const numbers = raw.frames.filter(isImported).map(numberOf)
  expect(numbers).toEqual(Array.from({ length: 3_000 }, (_, at) => at + 1))
  expect(raw.frames.some((frame) => !frame.broadcast && frame.event === 'system')).toBe(false)
  raw.socket.close()
})

it('if the table cannot be read either, each topic gets a message about lost messages', async () => {
  const raw = await rawSocket(realtime)
  await raw.join('realtime:room')
  await realtime.service.ready()
  await realtime.serviceSql('revoke select on realtime.messages from supabase_realtime_admin')
  await dropSlot(realtime)
  const frame = await raw.find((frame) => !frame.broadcast && frame.event === 'system')
  expect(frame).toMatchObject({
    topic: 'realtime:room',
    payload: { status: 'error', extension: 'system', message: expect.stringContaining('Messages were lost') },
  })
  await realtime.serviceSql('grant select on realtime.messages to supabase_realtime_admin')
  await realtime.service.ready()
  await realtime.sql(`select realtime.send('{}', 'goes on', 'room', false)`)
  await raw.find((frame) => frame.broadcast?.event === 'goes on')
  raw.socket.close()
})
