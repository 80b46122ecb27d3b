import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '../../../wire/claims.ts'
import { runAsCaller } from './runAsCaller.ts'
import type { Pool } from './pool.ts'
import { temporaryPostgres, type TemporaryPostgres } from '../server/temporaryPostgres.ts'

let cluster: TemporaryPostgres
/** A single connection, so that the next caller gets the session state of the previous one. */
let pool: Pool

const callerOf = (role: string): Caller => ({ role, claims: { role }, claimsJson: JSON.stringify({ role }) })
const ann = callerOf('authenticated')
const service = callerOf('service_role')

beforeAll(async () => {
  cluster = await temporaryPostgres()
  pool = cluster.pool('authenticator', 1)
  await cluster.pool('postgres', 1).query(`
    create function leave(what text) returns void language plpgsql as $$ begin execute what; end $$;
    grant usage on schema public to authenticated, service_role`)
})
afterAll(() => cluster?.stop())

/** What a function may do that outlives its transaction, and how the next one would see it. */
const traces: [name: string, leave: string, look: string, clean: unknown][] = [
  [
    'a setting of our own',
    `select set_config('response.status', '418', false)`,
    `select coalesce(nullif(current_setting('response.status', true), ''), 'none') as seen`,
    'none',
  ],
  [
    'a setting of theirs',
    `select set_config('app.user', 'Ann', false)`,
    `select coalesce(nullif(current_setting('app.user', true), ''), 'none') as seen`,
    'none',
  ],
  ['a setting of the server', `set work_mem = '1MB'`, `select current_setting('work_mem') as seen`, '4MB'],
  ['a time limit', `set lock_timeout = '1ms'`, `select current_setting('lock_timeout') as seen`, '8s'],
  [
    'a lock',
    'select pg_advisory_lock(42)',
    `select count(*)::text as seen from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`,
    '0',
  ],
  [
    'a temporary table',
    'create temp table scratch as select 1 as secret',
    `select coalesce(to_regclass('scratch')::text, 'none') as seen`,
    'none',
  ],
  [
    'a cursor',
    'declare held cursor with hold for select 1',
    `select count(*)::text as seen from pg_cursors where name = 'held'`,
    '0',
  ],
  ['a channel', 'listen gossip', `select count(*)::text as seen from pg_listening_channels()`, '0'],
]

describe('the next caller on the connection does not see:', () => {
  test.each(traces)('%s', async (_, leave, look, clean) => {
    const seenBy = async (caller: Caller): Promise<unknown> =>
      (await runAsCaller(pool, { caller, readOnly: true }, [{ text: look }]))[0]!.rows[0]!.seen
    const leaving = [{ text: 'select leave($1)', values: [leave] }]
    // Without a reset the state remains, which shows that the check detects it.
    await runAsCaller(pool, { caller: ann, leavesSessionState: false }, leaving)
    expect(await seenBy(service)).not.toBe(clean)
    await runAsCaller(pool, { caller: ann }, [{ text: 'select 1' }])
    expect(await seenBy(service)).toBe(clean)
    await runAsCaller(pool, { caller: ann }, leaving)
    expect(await seenBy(service)).toBe(clean)
    await runAsCaller(pool, { caller: ann }, [...leaving, { text: 'select 1 / 0' }]).catch(() => {})
    expect(await seenBy(service)).toBe(clean)
  })

  test('a role', async () => {
    const asleep = async (): Promise<unknown> => (await pool.query('select current_user as who')).rows[0]
    const leaving = [{ text: 'select leave($1)', values: ['set session role service_role'] }]
    await runAsCaller(pool, { caller: service, leavesSessionState: false }, leaving)
    expect(await asleep()).toEqual({ who: 'service_role' })
    await runAsCaller(pool, { caller: service }, leaving)
    expect(await asleep()).toEqual({ who: 'authenticator' })
  })
})

test('session state of concurrent callers on few connections never leaks', async () => {
  const few = cluster.pool('authenticator', 2)
  const look = { text: `select coalesce(nullif(current_setting('app.user', true), ''), 'none') as seen` }
  const seen = await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      if (i % 3 !== 0)
        return (await runAsCaller(few, { caller: service, readOnly: true }, [look]))[0]!.rows[0]!.seen
      await runAsCaller(few, { caller: ann }, [
        { text: `select leave($1)`, values: [`select set_config('app.user', 'Ann', false)`] },
      ])
      return 'none'
    }),
  )
  expect(new Set(seen)).toEqual(new Set(['none']))
})

test('a cancelled statement leaves no session state', async () => {
  const postgres = cluster.pool('postgres', 1)
  for (let i = 0; i < 5; i++) {
    const controller = new AbortController()
    const asleep = runAsCaller(pool, { caller: ann, signal: controller.signal }, [
      { text: 'select pg_advisory_lock(7)' },
      { text: 'select pg_sleep(60)' },
    ])
    for (;;) {
      const { rowCount } = await postgres.query(
        `select from pg_stat_activity where state = 'active' and query like '%pg_sleep%' and usename = 'authenticator'`,
      )
      if (rowCount) break
    }
    controller.abort(new Error('gone'))
    await expect(asleep).rejects.toThrow('gone')
    await pool.query('select 1')
    const { rows } = await postgres.query(`select from pg_locks where locktype = 'advisory'`)
    expect(rows).toEqual([])
  }
  expect(pool.stats()).toMatchObject({ total: 1, idle: 1 })
})
