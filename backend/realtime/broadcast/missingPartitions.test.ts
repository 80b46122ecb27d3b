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

/** The missing days after `change`, which is rolled back. */
const missingAfter = (change: string): Promise<string[]> =>
  admin.withClient(async (client) => {
    await client.query('begin')
    await client.query(change)
    const days = await missingPartitions(client)
    await client.query('rollback')
    return days
  })

const dayAhead = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const partition = (days: number): string => `realtime.messages_${dayAhead(days).replaceAll('-', '_')}`
const upstream = `drop table realtime.messages cascade;
  create table realtime.messages (inserted_at timestamp not null) partition by range (inserted_at);`

it('finds no day missing if the partitions exist', async () => {
  expect(await missingAfter('select 1')).toEqual([])
})

it.each([
  ['today', 0],
  ['tomorrow', 1],
])('finds %s without a partition', async (_, days) => {
  expect(await missingAfter(`drop table ${partition(days)}`)).toEqual([dayAhead(days)])
  expect(await missingAfter(`alter table realtime.messages detach partition ${partition(days)}`)).toEqual([
    dayAhead(days),
  ])
})

it('finds both days missing without any partition, or without the table', async () => {
  const both = [dayAhead(0), dayAhead(1)]
  expect(await missingAfter(upstream)).toEqual(both)
  expect(await missingAfter('drop table realtime.messages cascade')).toEqual(both)
})

it('reads the bounds of partitions, whatever their names', async () => {
  const from = (lower: string, upper: string): string =>
    `${upstream} create table realtime.any_name partition of realtime.messages for values from (${lower}) to (${upper})`
  expect(await missingAfter(from(`'${dayAhead(0)}'`, `'${dayAhead(2)}'`))).toEqual([])
  expect(await missingAfter(from(`'${dayAhead(0)} 00:00'`, `'${dayAhead(1)} 12:00'`))).toEqual([dayAhead(1)])
  expect(await missingAfter(from('minvalue', `'${dayAhead(1)}'`))).toEqual([dayAhead(1)])
  expect(await missingAfter(from(`'${dayAhead(-9)}'`, 'maxvalue'))).toEqual([])
})

it('counts a default partition, and a table without partitions, for every day', async () => {
  expect(
    await missingAfter(`${upstream} create table realtime.rest partition of realtime.messages default`),
  ).toEqual([])
  expect(
    await missingAfter('drop table realtime.messages cascade; create table realtime.messages (id int)'),
  ).toEqual([])
})
