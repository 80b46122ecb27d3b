import * as fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parseSchedule } from '../../../backend/jobs/cron/parseSchedule.ts'
import type { Pool } from '../../../backend/postgres/connections/pool.ts'
import {
  temporaryPostgres,
  type TemporaryPostgres,
} from '../../../backend/postgres/server/temporaryPostgres.ts'

/** The contract of pg_cron's functions and tables, as a project's SQL meets it. */
let postgres: TemporaryPostgres
let owner: Pool
let admin: Pool

const value = async (sql: string, values: unknown[] = [], pool = owner): Promise<unknown> =>
  Object.values((await pool.query(sql, values)).rows[0]!)[0]
const refusal = async (sql: string, values: unknown[] = [], pool = owner): Promise<unknown> =>
  pool.query(sql, values).then(
    () => 'done',
    ({ code, message, hint, detail }: Record<string, unknown>) => ({
      code,
      message,
      ...(hint ? { hint } : {}),
      ...(detail ? { detail } : {}),
    }),
  )
/** As another role, undone afterwards. */
const as = async <T>(role: string, work: (query: Pool['query']) => Promise<T>): Promise<T> =>
  admin.withClient(async (client) => {
    await client.query(`begin; set local role ${role}`)
    return work(((sql: string, values?: unknown[]) => client.query(sql, values)) as Pool['query']).finally(
      () => client.query('rollback'),
    )
  })

beforeAll(async () => {
  postgres = await temporaryPostgres()
  owner = postgres.pool('postgres')
  admin = postgres.pool('supabase_admin', 1)
  await owner.query(`select linnet_platform.create_extension('pg_cron', 'pg_catalog', null, false)`)
  await owner.query(`create role reporter login; grant usage on schema cron to reporter, authenticated`)
})
afterAll(() => postgres.stop())
beforeEach(() => admin.query('delete from cron.job'))

describe('schedule', () => {
  it('returns the ID of the job', async () => {
    const id = await value(`select cron.schedule('0 10 * * *', 'vacuum')`)
    const { rows } = await owner.query('select * from cron.job')
    expect(rows).toEqual([
      {
        jobid: id,
        schedule: '0 10 * * *',
        command: 'vacuum',
        nodename: 'localhost',
        nodeport: 5432,
        database: 'postgres',
        username: 'postgres',
        active: true,
        jobname: null,
      },
    ])
  })

  it('replaces the job of the same name, which keeps its ID and stays inactive', async () => {
    const id = await value(`select cron.schedule('nightly', '0 10 * * *', 'vacuum')`)
    await owner.query('select cron.alter_job($1, active := false)', [id])
    expect(await value(`select cron.schedule('nightly', '0 11 * * *', 'vacuum full')`)).toBe(id)
    const { rows } = await owner.query('select schedule, command, active from cron.job')
    expect(rows).toEqual([{ schedule: '0 11 * * *', command: 'vacuum full', active: false }])
  })

  it('refuses an invalid schedule with the error of pg_cron', async () => {
    const refused = {
      code: '22023',
      message: 'invalid schedule: 61 * * * *',
      hint: "Use cron format (e.g. 5 4 * * *), or interval format '[1-59] seconds'",
    }
    expect(await refusal(`select cron.schedule('61 * * * *', 'select 1')`)).toEqual(refused)
    expect(await refusal(`select cron.schedule('a', '61 * * * *', 'select 1')`)).toEqual(refused)
    const id = await value(`select cron.schedule('0 10 * * *', 'vacuum')`)
    expect(await refusal(`select cron.alter_job($1, '61 * * * *')`, [id])).toEqual(refused)
  })

  it('refuses or ignores nulls, as pg_cron does', async () => {
    expect(await value(`select cron.schedule('0 10 * * *', null)`)).toBeNull()
    for (const [call, what] of [
      [`cron.schedule(null, '* * * * *', 'select 1')`, 'job_name'],
      [`cron.schedule('a', null, 'select 1')`, 'schedule'],
      [`cron.schedule('a', '* * * * *', null)`, 'command'],
      [`cron.alter_job(null)`, 'job_id'],
    ]) {
      expect(await refusal(`select ${call}`)).toEqual({ code: 'XX000', message: `${what} can not be NULL` })
    }
  })

  it('requires an existing database with the CONNECT privilege', async () => {
    const call = `select cron.schedule_in_database('there', '* * * * *', 'select 1', $1)`
    expect(await refusal(call, ['hopedoesnotexist'])).toEqual({
      code: '3D000',
      message: 'database "hopedoesnotexist" does not exist',
    })
    await owner.query(call, ['postgres'])
    expect(await value('select database from cron.job')).toBe('postgres')
  })

  it('refuses jobs of superusers and of other users', async () => {
    expect(await refusal(`select cron.schedule('* * * * *', 'select 1')`, [], admin)).toMatchObject({
      code: '42501',
      message: 'cannot schedule jobs as superuser',
    })
    const call = `select cron.schedule_in_database('x', '* * * * *', 'select 1', 'postgres', $1)`
    expect(await refusal(call, ['reporter'])).toEqual({
      code: 'XX000',
      message: 'must be superuser to create a job for another role',
    })
    expect(await refusal(call, ['nobody_here'], admin)).toEqual({
      code: 'XX000',
      message: 'role "nobody_here" does not exist',
    })
    expect(await refusal(call, ['anon'], admin)).toMatchObject({ message: 'role "anon" can not log in' })
    await admin.query(call, ['reporter'])
    expect(await value('select username from cron.job')).toBe('reporter')
  })

  it('schedules as the owner of a SECURITY DEFINER function', async () => {
    await owner.query(`create or replace function public.plan() returns bigint language sql security definer
      as $$ select cron.schedule('by function', '* * * * *', 'select 1') $$`)
    await as('authenticated', (query) => query('select public.plan()'))
    await owner.query('select public.plan()')
    expect(await value('select username from cron.job')).toBe('postgres')
  })
})

describe('unschedule', () => {
  it('accepts an ID or a name', async () => {
    const id = await value(`select cron.schedule('* * * * *', 'select 1')`)
    await owner.query(`select cron.schedule('a', '* * * * *', 'select 1')`)
    expect(await value('select cron.unschedule($1::bigint)', [id])).toBe(true)
    expect(await value(`select cron.unschedule('a')`)).toBe(true)
    expect(await value('select count(*)::int from cron.job')).toBe(0)
  })

  it('names a job that does not exist', async () => {
    expect(await refusal('select cron.unschedule(999999)')).toEqual({
      code: 'XX000',
      message: 'could not find valid entry for job 999999',
    })
    expect(await refusal(`select cron.unschedule(job_name := 'no_such_job')`)).toEqual({
      code: 'XX000',
      message: "could not find valid entry for job 'no_such_job'",
    })
  })
})

describe('alter_job', () => {
  it('changes the given settings only', async () => {
    const id = await value(`select cron.schedule('a', '0 10 * * *', 'vacuum')`)
    await owner.query(`select cron.alter_job($1, command := 'analyze')`, [id])
    const { rows } = await owner.query('select schedule, command, active from cron.job')
    expect(rows).toEqual([{ schedule: '0 10 * * *', command: 'analyze', active: true }])
  })

  it('requires a change, and an existing job', async () => {
    const id = await value(`select cron.schedule('a', '0 10 * * *', 'vacuum')`)
    expect(await refusal('select cron.alter_job($1)', [id])).toEqual({
      code: 'XX000',
      message: 'no updates specified',
      hint: 'You must specify at least one job attribute to change when calling alter_job',
    })
    expect(await refusal('select cron.alter_job(999999, active := false)')).toEqual({
      code: 'XX000',
      message: "Job 999999 does not exist or you don't own it",
    })
    expect(await refusal(`select cron.alter_job($1, username := 'reporter')`, [id])).toEqual({
      code: 'XX000',
      message: 'must be superuser to alter username',
    })
  })
})

describe('privileges', () => {
  it('let each role select and unschedule its own jobs only', async () => {
    const id = await value(`select cron.schedule('a', '0 10 * * *', 'vacuum')`)
    await owner.query(`insert into cron.job_run_details (jobid, username) values ($1, 'postgres')`, [id])
    await as('reporter', async (query) => {
      await query(`select cron.schedule('a', '1 1 * * *', 'select 1')`)
      expect((await query('select username, schedule from cron.job')).rows).toEqual([
        { username: 'reporter', schedule: '1 1 * * *' },
      ])
      expect((await query('select * from cron.job_run_details')).rows).toEqual([])
      expect((await query('delete from cron.job_run_details where true')).rowCount).toBe(0)
      expect((await query(`select cron.unschedule('a')`)).rowCount).toBe(1)
    })
    const end = as('reporter', (query) => query('select cron.unschedule($1::bigint)', [id]))
    await expect(end).rejects.toThrow('permission denied for table job')
    const alter = as('reporter', (query) => query('select cron.alter_job($1, active := false)', [id]))
    await expect(alter).rejects.toThrow('permission denied for function alter_job')
  })

  it.each([
    `insert into cron.job (schedule, command, username) values ('* * * * *', 'select 1', 'supabase_admin')`,
    `update cron.job set username = 'supabase_admin' where true`,
    `delete from cron.job where true`,
  ])('do not permit writing to the table: %s', async (sql) => {
    expect(await refusal(sql)).toEqual({ code: '42501', message: 'permission denied for table job' })
  })

  it.each([
    `insert into cron.own_job (schedule, command, username, database, nodename, nodeport, active)
       values ('* * * * *', 'select 1', 'postgres', 'postgres', 'localhost', 1, true)`,
    `insert into cron.own_job (jobid, schedule, command, username, database, nodename, nodeport, active)
       values (7, '* * * * *', 'select 1', 'reporter', 'postgres', 'localhost', 1, true)`,
    `update cron.own_job set username = 'postgres' where true`,
    `update cron.own_job set jobid = 1 where true`,
  ])('do not permit writing as another user: %s', async (sql) => {
    const forge = as('reporter', async (query) => {
      await query(`select cron.schedule('mine', '* * * * *', 'select 1')`)
      await query(sql)
    })
    await expect(forge).rejects.toMatchObject({ code: expect.stringMatching(/42501|44000/) })
  })

  it('deny everything to anon', async () => {
    const call = as('anon', (query) => query(`select cron.schedule('* * * * *', 'select 1')`))
    await expect(call).rejects.toThrow('permission denied for schema cron')
  })

  it('give postgres everything with grant option, except for writing to the table of jobs', async () => {
    expect(
      await value(`select has_table_privilege('cron.job', 'select with grant option')
        and not has_table_privilege('cron.job', 'insert, update, delete')
        and has_table_privilege('cron.job_run_details', 'insert with grant option')
        and has_function_privilege('cron.alter_job(bigint,text,text,text,text,boolean)', 'execute')`),
    ).toBe(true)
  })

  it('let postgres set the time zone of schedules', async () => {
    await owner.query(`alter database postgres set cron.timezone to 'Europe/Berlin'`)
    const settings = await value(
      `select setconfig::text from pg_db_role_setting where setconfig::text like '%cron.timezone%'`,
    )
    await owner.query('alter database postgres reset cron.timezone')
    expect(settings).toContain('cron.timezone=Europe/Berlin')
  })
})

it('accepts the same schedules as the scheduler', async () => {
  const number = fc.constantFrom('0', '1', '7', '12', '23', '31', '59', '60', 'jan', 'Sun', 'x', '')
  const item = fc.oneof(
    fc.constantFrom('*', '$', '*x', '5;', '*-', '*/', '-', '?', '1-', '\n', '1/5', '5-1'),
    number,
    fc.tuple(number, number).map((ends) => ends.join('-')),
    number.map((step) => `*/${step}`),
    fc.tuple(number, number, number).map(([a, b, step]) => `${a}-${b}/${step}`),
  )
  const list = fc.oneof(
    { weight: 3, arbitrary: fc.constant('*') },
    { weight: 5, arbitrary: fc.array(item, { minLength: 1, maxLength: 2 }).map((items) => items.join(',')) },
  )
  const text = fc.oneof(
    { weight: 6, arbitrary: fc.array(list, { minLength: 4, maxLength: 6 }).map((words) => words.join(' ')) },
    fc
      .tuple(
        fc.constantFrom('', ' ', '+', '-', '# c\n', '\n '),
        fc.constantFrom('0', '1', '59', '60', '@daily', '@', '@Daily', '@reboot', '* * * * *'),
        fc.constantFrom('', ' ', '\n'),
        fc.constantFrom('', 'second', 'SECONDS', 'secondc', 'seconds ', 'second ', 'seconds x'),
      )
      .map((parts) => parts.join('')),
  )
  const samples = fc.sample(text, { numRuns: 4000, seed: 6 })
  const { rows } = await owner.query<{ text: string; taken: boolean }>(
    'select text, cron.is_schedule(text) as taken from unnest($1::text[]) as text',
    [samples],
  )
  const differing = rows.filter((row) => row.taken !== (parseSchedule(row.text) !== null))
  expect(differing.map((row) => row.text)).toEqual([])
  expect(rows.filter((row) => row.taken).length).toBeGreaterThan(200)
})
