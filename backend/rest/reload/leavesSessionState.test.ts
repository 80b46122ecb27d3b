import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pool } from '../../postgres/connections/pool.ts'
import { temporaryPostgres, type TemporaryPostgres } from '../../postgres/server/temporaryPostgres.ts'
import { leavesSessionState } from './leavesSessionState.ts'

let cluster: TemporaryPostgres
let postgres: Pool
beforeAll(async () => {
  cluster = await temporaryPostgres()
  postgres = cluster.pool('postgres', 1)
  await postgres.query('create table t (id int, temperature int)')
})
afterAll(() => cluster?.stop())

const leavesState = async (body: string, language = 'plpgsql'): Promise<boolean> => {
  await postgres.query(`create or replace function f() returns void language ${language} as $f$ ${body} $f$`)
  return postgres.withClient(leavesSessionState)
}

test('the platform itself leaves no session state', async () => {
  expect(await postgres.withClient(leavesSessionState)).toBe(false)
})

test.each([
  `begin perform set_config('app.user', 'Ann', false); end`,
  `begin perform set_config('a.b', 'x', true); perform SET_CONFIG('app.user', f(1, 2), some_flag); end`,
  `begin set role service_role; end`,
  `begin if true then
     set session work_mem = '1MB'; end if; end`,
  `begin reset role; end`,
  `begin perform 1; reset all; end`,
  `begin execute 'se' || 't role service_role'; end`,
  `begin perform pg_advisory_lock(1); end`,
  `begin perform pg_catalog.pg_try_advisory_lock_shared(1); end`,
  `begin create temp table x (id int); end`,
  `begin create Temporary table x (id int) on commit drop; end`,
  `begin listen gossip; end`,
])('may leave session state: %s', async (body) => {
  expect(await leavesState(body)).toBe(true)
})

test.each([
  `begin perform set_config('response.status', '201', true); end`,
  `begin perform set_config('response.headers', (select json_agg(x)::text from json_array_elements('[1, 2]') x), true),
     pg_catalog.set_config('a.b', 'c', is_local => true); end`,
  `begin set local work_mem = '1MB'; set constraints all immediate; end`,
  `begin update t set id = 1, temperature = 2 where id = 3; end`,
  `begin perform pg_advisory_xact_lock(1); insert into t values (1) on conflict do nothing; end`,
  `begin update t
     set id = 1 where id = 2; end`,
])('leaves no session state: %s', async (body) => {
  expect(await leavesState(body)).toBe(false)
})

test('checks SQL-standard function bodies too', async () => {
  await postgres.query(`drop function f; create function f() returns text language sql
    begin atomic select set_config('app.user', 'Ann', false); end`)
  expect(await postgres.withClient(leavesSessionState)).toBe(true)
  await postgres.query(`drop function f; create function f() returns text language sql
    begin atomic select set_config('app.user', 'Ann', true); end`)
  expect(await postgres.withClient(leavesSessionState)).toBe(false)
})
