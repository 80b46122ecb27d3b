import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryPostgres, type TemporaryPostgres } from '../../postgres/server/temporaryPostgres.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import { missingPartitions } from './missingPartitions.ts'

let cluster: TemporaryPostgres
let admin: Pool

beforeAll(async () => {
  cluster = await temporaryPostgres()
  admin = cluster.pool('supabase_admin', 1)
})
afterAll(() => cluster?.stop())

type Day = (ahead: number) => string

/**
 * The missing days after a change that is rolled back, in days after the one (UTC) on which its transaction began. The
 * change gets the dates, which are the same when midnight passes meanwhile.
 */
const missingAfter = (change: (day: Day) => string): Promise<number[]> =>
  admin.withClient(async (client) => {
    await client.query('begin')
    const { rows } = await client.query<{ at: Date }>(`select date_trunc('day', now(), 'UTC') as at`)
    const today = rows[0]!.at.getTime()
    await client.query(change((ahead) => new Date(today + ahead * 86_400_000).toISOString().slice(0, 10)))
    const days = await missingPartitions(client)
    await client.query('rollback')
    return days.map((day) => (Date.parse(day) - today) / 86_400_000)
  })

const partition = (day: string): string => `realtime.messages_${day.replaceAll('-', '_')}`
const upstream = `drop table realtime.messages cascade;
  create table realtime.messages (inserted_at timestamp not null) partition by range (inserted_at);`

it('finds no day missing if the partitions exist', async () => {
  expect(await missingAfter(() => 'select 1')).toEqual([])
})

it.each([
  ['today', 0],
  ['tomorrow', 1],
])('finds %s without a partition', async (_, ahead) => {
  expect(await missingAfter((day) => `drop table ${partition(day(ahead))}`)).toEqual([ahead])
  expect(
    await missingAfter((day) => `alter table realtime.messages detach partition ${partition(day(ahead))}`),
  ).toEqual([ahead])
})

it('finds both days missing without any partition, or without the table', async () => {
  expect(await missingAfter(() => upstream)).toEqual([0, 1])
  expect(await missingAfter(() => 'drop table realtime.messages cascade')).toEqual([0, 1])
})

it('reads the bounds of partitions, whatever their names', async () => {
  const withPartition = (from: string, to: string): string =>
    `${upstream} create table realtime.any_name partition of realtime.messages for values from (${from}) to (${to})`
  expect(await missingAfter((day) => withPartition(`'${day(0)}'`, `'${day(2)}'`))).toEqual([])
  expect(await missingAfter((day) => withPartition(`'${day(0)} 00:00'`, `'${day(1)} 12:00'`))).toEqual([1])
  expect(await missingAfter((day) => withPartition('minvalue', `'${day(1)}'`))).toEqual([1])
  expect(await missingAfter((day) => withPartition(`'${day(-9)}'`, 'maxvalue'))).toEqual([])
})

it('counts a default partition, and a table without partitions, for every day', async () => {
  expect(
    await missingAfter(() => `${upstream} create table realtime.rest partition of realtime.messages default`),
  ).toEqual([])
  expect(
    await missingAfter(() => 'drop table realtime.messages cascade; create table realtime.messages (id int)'),
  ).toEqual([])
})
