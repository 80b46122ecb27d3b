import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createLogger } from '../../logging/logger.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import { temporaryPostgres, type TemporaryPostgres } from '../../postgres/server/temporaryPostgres.ts'
import type { NotificationListener } from '../../postgres/connections/createNotificationListener.ts'
import { listenForReloads } from './listenForReloads.ts'

let cluster: TemporaryPostgres
let postgres: Pool
let listening: Pick<NotificationListener, 'firstAttempt' | 'close'>
const onSchema = vi.fn()
const onConfig = vi.fn()
const warnings: string[] = []

beforeAll(async () => {
  cluster = await temporaryPostgres()
  postgres = cluster.pool('postgres', 1)
})
beforeEach(async () => {
  await listening?.close()
  for (const spy of [onSchema, onConfig]) spy.mockClear()
  warnings.length = 0
  const log = createLogger({ format: 'text', minLevel: 'warn', write: (line) => warnings.push(line) })
  listening = listenForReloads({ config: cluster.config('authenticator'), log, onSchema, onConfig })
  await listening.firstAttempt
  expect(onSchema).toHaveBeenCalledTimes(1)
})
afterAll(async () => {
  await listening?.close()
  await cluster?.stop()
})

test('distinguishes the known messages, and ignores others', async () => {
  await postgres.query(`notify pgrst; notify pgrst, 'make tea'; notify other; notify pgrst, 'reload schema'`)
  await postgres.query(`notify pgrst, 'reload config'`)
  await expect.poll(() => onConfig.mock.calls.length).toBe(1)
  // Once for the connection, once for each of the two messages.
  expect(onSchema).toHaveBeenCalledTimes(3)
  expect(warnings).toEqual([])
})

test('reports schema changes once per transaction, and nothing else', async () => {
  await postgres.query(`create table a (id int); create table b (id int); comment on table a is 'first'`)
  await expect.poll(() => onSchema.mock.calls.length).toBe(2)
  for (const sql of [
    'alter table a rename to c',
    'drop table c',
    'create function f() returns int return 1',
  ]) {
    const before = onSchema.mock.calls.length
    await postgres.query(sql)
    await expect.poll(() => onSchema.mock.calls.length).toBe(before + 1)
  }
  const before = onSchema.mock.calls.length
  await postgres.query('create temp table scratch (id int)')
  await postgres.query('create index on b (id)')
  await postgres.query('insert into b values (1)')
  await postgres.query(`notify pgrst, 'reload config'`)
  await expect.poll(() => onConfig.mock.calls.length).toBe(1)
  expect(onSchema).toHaveBeenCalledTimes(before)
})

test('reconnects and reports a change, since it may have missed one', async () => {
  const end = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'rest listener'`
  for (const times of [2, 3]) {
    expect((await postgres.query(end)).rowCount).toBe(1)
    await expect.poll(() => onSchema.mock.calls.length).toBe(times)
  }
  expect(warnings).toHaveLength(2)
  await postgres.query(`notify pgrst, 'reload config'`)
  await expect.poll(() => onConfig.mock.calls.length).toBe(1)
})

test('does not reconnect after close', async () => {
  await listening.close()
  await expect
    .poll(async () => {
      const text = `select from pg_stat_activity where application_name = 'rest listener'`
      return (await postgres.query(text)).rowCount
    })
    .toBe(0)
  expect(warnings).toEqual([])
})
