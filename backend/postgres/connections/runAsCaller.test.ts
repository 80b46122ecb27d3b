import type { DatabaseError, QueryResult } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Caller } from '../../../wire/claims.ts'
import { runAsCaller, transactAsCaller } from './runAsCaller.ts'
import type { Pool } from './pool.ts'
import { PreparedStatements } from './PreparedStatements.ts'
import { TransactionQuery } from './TransactionQuery.ts'
import { temporaryPostgres, type TemporaryPostgres } from '../server/temporaryPostgres.ts'

let cluster: TemporaryPostgres
let postgres: Pool
/** A single connection, so that the next caller gets the session state of the previous one. */
let pool: Pool

const callerOf = (role: string, sub?: string): Caller => {
  const claims = { role, ...(sub ? { sub } : {}) }
  return { role, claims, claimsJson: JSON.stringify(claims) }
}
const anon = callerOf('anon')
const ann = callerOf('authenticated', 'ann')
const bea = callerOf('authenticated', 'bea')
const service = callerOf('service_role')

beforeAll(async () => {
  cluster = await temporaryPostgres()
  postgres = cluster.pool('postgres', 1)
  await postgres.query(`
    create table notes (id int primary key, owner text not null, body text);
    alter table notes enable row level security;
    create policy "owners see theirs" on notes using (owner = current_setting('request.jwt.claims', true)::jsonb ->> 'sub');
    grant select, insert, update, delete on notes to authenticated, service_role;
    create table pairs (id int primary key, other int references pairs deferrable initially deferred);
    grant all on pairs to authenticated;`)
})
afterAll(() => cluster?.stop())
beforeEach(async () => {
  pool = cluster.pool('authenticator', 1)
  await postgres.query(`truncate notes, pairs; insert into notes values (1, 'ann', 'a'), (2, 'bea', 'b')`)
})

const codeOf = (promise: Promise<unknown>): Promise<string | undefined> =>
  promise.then(
    () => 'done',
    (error: DatabaseError) => error.code ?? error.message,
  )
const who = { text: `select current_user as who, current_setting('request.jwt.claims', true) as claims` }
/** The state of the idle connection. */
const atRest = async (): Promise<unknown> =>
  (
    await pool.query(`select current_user as who, coalesce(current_setting('request.jwt.claims', true), '') as claims,
    coalesce(current_setting('request.path', true), '') as path, pg_current_xact_id_if_assigned() as transaction`)
  ).rows[0]
const clean = { who: 'authenticator', claims: '', path: '', transaction: null }
const bodies = { text: 'select body from notes order by id', name: 'bodies' }

test('statements run as the caller, with claims and settings, and return results in order', async () => {
  const results = await runAsCaller(pool, { caller: ann, settings: { 'request.path': '/notes' } }, [
    who,
    { text: `select current_setting('request.path') as path` },
    { text: 'update notes set body = $1 where id = $2', values: ['new', 1] },
    { text: 'select body, id from notes', rowMode: 'array' } as never,
  ])
  expect(results.map((result) => result.rows)).toEqual([
    [{ who: 'authenticated', claims: ann.claimsJson }],
    [{ path: '/notes' }],
    [],
    [['new', 1]],
  ])
  expect(results[2]).toMatchObject({ command: 'UPDATE', rowCount: 1, fields: [] })
  expect(results[3]!.fields.map((field) => field.name)).toEqual(['body', 'id'])
  expect(await atRest()).toEqual(clean)
})

test('raw statements return the bytes of the server, next to parsed ones', async () => {
  const long = 'ä€😀'.repeat(20_000)
  const statement = {
    text: 'select $1::text, $2::bytea, $3::int',
    values: [long, Buffer.from([0, 255]), null],
  }
  // Twice each: the second time by its name, undescribed.
  for (const name of ['echo', 'echo']) {
    const [raw, parsed] = await runAsCaller(pool, { caller: ann }, [
      { ...statement, name, raw: true },
      { ...statement, name: `${name} parsed`, rowMode: 'array' } as never,
    ])
    expect(raw!.rows).toEqual([[Buffer.from(long), Buffer.from('\\x00ff'), null]])
    expect(parsed!.rows).toEqual([[long, Buffer.from([0, 255]), null]])
  }
})

test('rows of an earlier query are delivered to that query', async () => {
  await pool.withClient(async (client) => {
    const before = client.query('select n from generate_series(1, 3) as n')
    const [raw] = await new Promise<QueryResult[]>((resolve, reject) => {
      const done = (error: Error | null, results: QueryResult[]): void =>
        error ? reject(error) : resolve(results)
      const statement = { text: `select 'mine'`, raw: true } as const
      client.query(new TransactionQuery(client, [statement], new PreparedStatements(), done))
    })
    expect((await before).rows).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(raw!.rows).toEqual([[Buffer.from('mine')]])
  })
})

test('no statements are a transaction too', async () => {
  expect(await runAsCaller(pool, { caller: ann }, [])).toEqual([])
})

describe('roles interleaved on one connection', () => {
  test.each([
    ['prepared', bodies],
    ['not prepared', { text: bodies.text }],
  ])('%s: each sees its own', async (_, query) => {
    // More than five runs each: from then on PostgreSQL may keep one plan for all parameters.
    for (let i = 0; i < 8; i++) {
      const seen = async (caller: Caller): Promise<unknown> =>
        (await runAsCaller(pool, { caller }, [query]))[0]!.rows
      expect(await seen(ann)).toEqual([{ body: 'a' }])
      expect(await seen(bea)).toEqual([{ body: 'b' }])
      expect(await seen(service)).toEqual([{ body: 'a' }, { body: 'b' }])
      expect(await codeOf(runAsCaller(pool, { caller: anon }, [query]))).toBe('42501')
    }
    expect(await atRest()).toEqual(clean)
  })

  test('all at once', async () => {
    const few = cluster.pool('authenticator', 3)
    const callers = [ann, bea, service]
    const seen = await Promise.all(
      Array.from(
        { length: 120 },
        async (_, i) => (await runAsCaller(few, { caller: callers[i % 3]! }, [bodies]))[0]!.rowCount,
      ),
    )
    expect(seen).toEqual(Array.from({ length: 120 }, (_, i) => (i % 3 === 2 ? 2 : 1)))
  })
})

describe('an error', () => {
  test.each([
    ['in the first', 0],
    ['in the middle', 1],
    ['in the last', 2],
  ])('%s statement is thrown, and nothing has happened', async (_, at) => {
    const statements = [0, 1, 2].map((i) =>
      i === at
        ? { text: 'select 1 / 0' }
        : { text: 'insert into notes values ($1, $2)', values: [10 + i, 'ann'] },
    )
    expect(await codeOf(runAsCaller(pool, { caller: ann }, statements))).toBe('22012')
    expect((await postgres.query('select id from notes where id >= 10')).rows).toEqual([])
    expect(await atRest()).toEqual(clean)
  })

  test('carries the fields of the database, and is the first of several', async () => {
    const failed = runAsCaller(pool, { caller: ann }, [
      { text: 'insert into notes values (1, $1)', values: ['ann'] },
      { text: 'select nothing' },
    ])
    await expect(failed).rejects.toMatchObject({
      code: '23505',
      constraint: 'notes_pkey',
      detail: /already exists/,
    })
  })

  test('at the commit is thrown too', async () => {
    const failed = runAsCaller(pool, { caller: ann }, [{ text: 'insert into pairs values (1, 2)' }])
    expect(await codeOf(failed)).toBe('23503')
    expect((await postgres.query('select * from pairs')).rows).toEqual([])
    expect(await atRest()).toEqual(clean)
  })

  test('of a role that does not exist, or is not ours to take', async () => {
    expect(await codeOf(runAsCaller(pool, { caller: callerOf('nobody') }, [bodies]))).toBe('22023')
    expect(await codeOf(runAsCaller(pool, { caller: callerOf('supabase_admin') }, [bodies]))).toBe('42501')
    expect(await atRest()).toEqual(clean)
  })

  test.each<[string, unknown]>([
    [
      'a value that can not be written',
      {
        values: [
          {
            toPostgres: () => {
              throw new Error('no')
            },
          },
        ],
      },
    ],
    ['too many values', { values: Array.from({ length: 65_536 }, () => 1) }],
    ['a text with NUL', { text: 'select 1 \0' }],
    ['no text', { text: undefined }],
  ])('of ours (%s) sends nothing at all', async (_, bad) => {
    const failed = runAsCaller(pool, { caller: ann }, [
      { text: `insert into notes values (20, 'ann')` },
      { text: 'select $1', ...(bad as object) },
    ])
    expect(await codeOf(failed)).not.toBe('done')
    expect((await postgres.query('select id from notes where id = 20')).rows).toEqual([])
    expect(await atRest()).toEqual(clean)
  })

  test('in a named statement does not spoil its name', async () => {
    const named = { text: 'select $1::int / $2::int as ratio', name: 'ratio' }
    expect(await codeOf(runAsCaller(pool, { caller: ann }, [{ ...named, values: [1, 0] }]))).toBe('22012')
    expect(await codeOf(runAsCaller(pool, { caller: ann }, [{ text: 'select nothing', name: 'bad' }]))).toBe(
      '42703',
    )
    expect(await codeOf(runAsCaller(pool, { caller: ann }, [{ text: 'select nothing', name: 'bad' }]))).toBe(
      '42703',
    )
    // Never reached the server, as one before it failed:
    expect(
      await codeOf(
        runAsCaller(pool, { caller: ann }, [
          { text: 'select 1 / 0' },
          { text: 'select 7 as n', name: 'later' },
        ]),
      ),
    ).toBe('22012')
    const results = await runAsCaller(pool, { caller: ann }, [
      { ...named, values: [6, 2] },
      { text: 'select 7 as n', name: 'later' },
      { text: 'select 8 as n', name: 'bad' },
      { ...named, values: [8, 2] },
    ])
    expect(results.map((result) => result.rows[0])).toEqual([{ ratio: 3 }, { n: 7 }, { n: 8 }, { ratio: 4 }])
  })
})

describe('prepared statements', () => {
  test('survive a change of the schema', async () => {
    await postgres.query('create table shapes as select 1 as a; grant select on shapes to anon')
    const all = { text: 'select * from shapes', name: 'shapes' }
    expect((await runAsCaller(pool, { caller: anon }, [all]))[0]!.rows).toEqual([{ a: 1 }])
    expect((await runAsCaller(pool, { caller: anon }, [all]))[0]!.rows).toEqual([{ a: 1 }])
    await postgres.query('alter table shapes add column b int default 2')
    expect((await runAsCaller(pool, { caller: anon }, [all]))[0]!.rows).toEqual([{ a: 1, b: 2 }])
    await postgres.query('alter table shapes alter a type text')
    expect((await runAsCaller(pool, { caller: anon }, [all]))[0]!.rows).toEqual([{ a: '1', b: 2 }])
    await postgres.query('drop table shapes')
  })

  test('survive DEALLOCATE', async () => {
    await runAsCaller(pool, { caller: ann }, [bodies])
    await pool.query('deallocate all')
    expect((await runAsCaller(pool, { caller: ann }, [bodies]))[0]!.rows).toEqual([{ body: 'a' }])
  })

  test('are kept in a bounded number', async () => {
    for (let i = 0; i < 300; i++) {
      const [result] = await runAsCaller(pool, { caller: ann }, [{ text: `select ${i} as i`, name: `n${i}` }])
      expect(result!.rows).toEqual([{ i }])
    }
    const { rows } = await pool.query<{ count: number }>(
      'select count(*)::int as count from pg_prepared_statements',
    )
    expect(rows[0]!.count).toBeLessThan(270)
  })
})

test('a read-only transaction refuses to write', async () => {
  const write = { text: `insert into notes values (30, 'ann')` }
  expect(await codeOf(runAsCaller(pool, { caller: ann, readOnly: true }, [write]))).toBe('25006')
  const loosened = [{ text: `select set_config('transaction_read_only', 'off', true)` }, write]
  expect(await codeOf(runAsCaller(pool, { caller: ann, readOnly: true }, loosened))).toBe('25001')
  expect(await codeOf(runAsCaller(pool, { caller: ann }, [write]))).toBe('done')
})

test('isolation is that of the transaction, else that of the role', async () => {
  await postgres.query(`create role careful nologin; grant careful to authenticator;
    alter role careful set default_transaction_isolation to 'repeatable read'`)
  const level = { text: `select current_setting('transaction_isolation') as level` }
  const of = async (o: object, role = 'careful'): Promise<unknown> =>
    (await runAsCaller(pool, { caller: callerOf(role), ...o }, [level]))[0]!.rows[0]
  expect(await of({}, 'anon')).toEqual({ level: 'read committed' })
  expect(await of({})).toEqual({ level: 'repeatable read' })
  expect(await of({ readOnly: true })).toEqual({ level: 'repeatable read' })
  expect(await of({ isolation: 'serializable' })).toEqual({ level: 'serializable' })
  const seen = await transactAsCaller(pool, { caller: callerOf('careful') }, (client) =>
    client.query(level.text),
  )
  expect(seen.rows).toEqual([{ level: 'repeatable read' }])
})

test('a rolled-back transaction returns results and changes nothing', async () => {
  const [result] = await runAsCaller(pool, { caller: ann, rollback: true }, [
    { text: `insert into notes values (31, 'ann') returning id` },
  ])
  expect(result!.rows).toEqual([{ id: 31 }])
  expect((await postgres.query('select id from notes where id = 31')).rows).toEqual([])
  expect(await atRest()).toEqual(clean)
})

test('a role changed within a transaction is reset after it', async () => {
  await runAsCaller(pool, { caller: ann }, [
    { text: `select set_config('request.jwt.claims', '{"sub":"bea"}', false)` },
    bodies,
  ])
  expect((await runAsCaller(pool, { caller: ann }, [bodies]))[0]!.rows).toEqual([{ body: 'a' }])
})

test('both kinds of transaction leave the session alone where no function leaves state behind', async () => {
  const leave = `select set_config('request.path', '/left', false)`
  for (const leavesSessionState of [true, false]) {
    const path = leavesSessionState ? '' : '/left'
    await runAsCaller(pool, { caller: ann, leavesSessionState }, [{ text: leave }])
    expect(await atRest()).toEqual({ ...clean, path })
    await pool.query('reset all')
    await transactAsCaller(pool, { caller: ann, leavesSessionState }, (client) => client.query(leave))
    expect(await atRest()).toEqual({ ...clean, path })
    await pool.query('reset all')
  }
})

describe('time', () => {
  test('the settings of a role come with it', async () => {
    const timeout = { text: `select current_setting('statement_timeout') as timeout` }
    const of = async (caller: Caller): Promise<unknown> =>
      (await runAsCaller(pool, { caller }, [timeout]))[0]!.rows[0]
    expect(await of(anon)).toEqual({ timeout: '3s' })
    expect(await of(ann)).toEqual({ timeout: '8s' })
    expect(await of(service)).toEqual({ timeout: '8s' })
  })

  test('a statement that exceeds its timeout is cancelled, and the connection remains usable', async () => {
    const slow = runAsCaller(pool, { caller: ann, settings: { statement_timeout: '20' } }, [
      { text: `insert into notes values (40, 'ann')` },
      { text: 'select pg_sleep(60)' },
    ])
    expect(await codeOf(slow)).toBe('57014')
    expect((await postgres.query('select id from notes where id = 40')).rows).toEqual([])
    expect(await atRest()).toEqual(clean)
  })

  test('an aborted signal cancels, and nothing has happened', async () => {
    const controller = new AbortController()
    const slow = runAsCaller(pool, { caller: ann, signal: controller.signal }, [
      { text: `insert into notes values (41, 'ann')` },
      { text: 'select pg_sleep(60)' },
    ])
    for (;;) {
      const { rowCount } = await postgres.query(
        `select from pg_stat_activity where state = 'active' and query like '%pg_sleep%' and usename = 'authenticator'`,
      )
      if (rowCount) break
    }
    controller.abort(new Error('gone'))
    await expect(slow).rejects.toThrow('gone')
    expect((await postgres.query('select id from notes where id = 41')).rows).toEqual([])
    expect(await atRest()).toEqual(clean)
  })
})

describe('several round trips', () => {
  test('are one transaction as the caller', async () => {
    const seen = await transactAsCaller(pool, { caller: bea }, async (client) => {
      await client.query(`insert into notes values (50, 'bea', 'mine')`)
      return (await client.query('select body from notes order by id')).rows
    })
    expect(seen).toEqual([{ body: 'b' }, { body: 'mine' }])
    expect((await postgres.query('select owner from notes where id = 50')).rows).toEqual([{ owner: 'bea' }])
    expect(await atRest()).toEqual(clean)
  })

  test('are rolled back when one fails, the work rejects, or rollback is requested', async () => {
    const insert = `insert into notes values (51, 'bea')`
    const failed = transactAsCaller(pool, { caller: bea }, async (client) => {
      await client.query(insert)
      await client.query('select 1 / 0')
    })
    expect(await codeOf(failed)).toBe('22012')
    const rejected = transactAsCaller(pool, { caller: bea }, async (client) => {
      await client.query(insert)
      throw new Error('no')
    })
    await expect(rejected).rejects.toThrow('no')
    await transactAsCaller(pool, { caller: bea, rollback: true }, (client) => client.query(insert))
    expect((await postgres.query('select id from notes where id = 51')).rows).toEqual([])
    expect(await atRest()).toEqual(clean)
  })

  test('report a missing role, whatever the work does', async () => {
    const work = transactAsCaller(pool, { caller: callerOf('nobody') }, (client) =>
      client.query('select 1').catch(() => 'ignored'),
    )
    expect(await codeOf(work)).toBe('22023')
    expect(await atRest()).toEqual(clean)
  })

  test('a swallowed failure does not count as success', async () => {
    const swallowed = transactAsCaller(pool, { caller: bea }, async (client) => {
      await client.query(`insert into notes values (52, 'bea')`)
      await client.query('select 1 / 0').catch(() => {})
      return 'fine'
    })
    expect(await codeOf(swallowed)).toContain('rolled back')
    expect((await postgres.query('select id from notes where id = 52')).rows).toEqual([])
  })
})

test('a request may take as long as the timeouts of its statements, by the setting of the role or its own', async () => {
  await postgres.query(`create role hasty nologin; grant hasty to authenticator;
    alter role hasty set statement_timeout to '3s'`)
  const limits: unknown[] = []
  const fresh = cluster.pool('authenticator', 1)
  const watched: Pool = {
    ...fresh,
    withClient: (fn, signal, caller, readOnly, maxMs) => {
      limits.push(maxMs)
      return fresh.withClient(fn, signal, caller, readOnly, maxMs)
    },
  }
  await runAsCaller(watched, { caller: callerOf('hasty') }, [who])
  await runAsCaller(watched, { caller: ann, settings: { statement_timeout: '0.5min' } }, [who, who])
  await runAsCaller(watched, { caller: ann, settings: { statement_timeout: '0' } }, [who])
  expect(limits).toEqual([7_000, 91_000, undefined])
})
