import { describe, expect, it } from 'vitest'
import type { CronService } from '../../../backend/jobs/cron/createCronService.ts'
import { useCron, type TestCron } from './startCron.ts'

/** When jobs run and which details are stored, with a clock that the test sets. */
let cron: TestCron
useCron('what text, at timestamptz default clock_timestamp()', (started) => (cron = started))
const serve = (): CronService => cron.serve()

describe('results', () => {
  it.each([
    ['select 1', '1 row'],
    ['select generate_series(1, 3)', '3 rows'],
    [`insert into public.ran values ('a'), ('b')`, 'INSERT 0 2'],
    [`insert into public.ran values ('a') returning what`, '1 row'],
    [`select 1; create table public.made (); drop table public.made`, 'DROP TABLE'],
    ['vacuum public.ran', 'VACUUM'],
    ['', '0 rows'],
  ])('%s: %s', async (command, message) => {
    await cron.plan('job', '0 3 * * *', command, '2026-05-01T00:00Z')
    cron.goTo('2026-05-01T03:00:10Z')
    serve()
    expect(await cron.ended(1)).toEqual([{ name: 'job', status: 'succeeded', message }])
  })

  it.each([
    ['select 1/0', 'ERROR:  division by zero\n'],
    [
      `insert into public.ran values ('kept?'); select * from nowhere`,
      'ERROR:  relation "nowhere" does not exist\n',
    ],
    ['copy public.ran from stdin', 'COPY not supported'],
    ['copy (select 1) to stdout', 'COPY not supported'],
    [
      'select pg_terminate_backend(pg_backend_pid())',
      'FATAL:  terminating connection due to administrator command\n',
    ],
  ])('%s fails', async (command, message) => {
    await cron.plan('job', '0 3 * * *', command, '2026-05-01T00:00Z')
    cron.goTo('2026-05-01T03:00:10Z')
    serve()
    expect(await cron.ended(1)).toEqual([{ name: 'job', status: 'failed', message }])
    // One simple query is one transaction.
    expect((await cron.owner.query('select from public.ran')).rowCount).toBe(0)
  })

  it('contain user, database, process and times', async () => {
    const id = await cron.plan('job', '0 3 * * *', 'select 1', '2026-05-01T00:00Z')
    cron.goTo('2026-05-01T03:00:10Z')
    serve()
    await cron.ended(1)
    const { rows } = await cron.owner.query(
      `select jobid, database, username, command, job_pid > 0 as pid, start_time <= end_time as times
       from cron.job_run_details`,
    )
    expect(rows).toEqual([
      { jobid: id, database: 'postgres', username: 'postgres', command: 'select 1', pid: true, times: true },
    ])
  })

  it('a job of another role cannot run as postgres or set that role', async () => {
    const admin = cron.postgres.pool('supabase_admin', 1)
    await admin.query('create role reporter login')
    await admin.query(
      `insert into cron.job (schedule, command, username) values ('0 3 * * *', 'reset role; select current_user', 'reporter')`,
    )
    await admin.query(`update cron.job_due set done_until = '2026-05-01T00:00Z' where true`)
    cron.goTo('2026-05-01T03:00:10Z')
    serve()
    expect(await cron.ended(1)).toMatchObject([{ status: 'failed', message: 'connection failed' }])
    await admin.query(`delete from cron.job where true; drop role reporter`)
  })

  it('the session is closed after the last run', async () => {
    await cron.plan('job', '0 3 * * *', 'select 1', '2026-05-01T00:00Z')
    cron.goTo('2026-05-01T03:00:10Z')
    serve()
    await cron.ended(1)
    const sessions = `select from pg_stat_activity where application_name = 'pg_cron'`
    await expect.poll(async () => (await cron.owner.query(sessions)).rowCount).toBe(0)
  })

  it('session state is reset between runs', async () => {
    await cron.plan(
      'a',
      '0 3 * * *',
      `set my.word = 'left'; create temp table left_over ()`,
      '2026-05-01T00:00Z',
    )
    await cron.plan(
      'b',
      '1 3 * * *',
      `select 1 where current_setting('my.word', true) <> ''`,
      '2026-05-01T00:00Z',
    )
    await cron.plan('c', '2 3 * * *', 'begin; create table public.half ()', '2026-05-01T00:00Z')
    await cron.plan('d', '3 3 * * *', 'create temp table left_over ()', '2026-05-01T00:00Z')
    await cron.owner.query(`alter database postgres set cron.max_running_jobs to 1`)
    cron.goTo('2026-05-01T03:04Z')
    serve()
    const runs = await cron.ended(4)
    await cron.owner.query(`alter database postgres reset cron.max_running_jobs`)
    expect(runs.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'a succeeded',
      'b succeeded',
      'c succeeded',
      'd succeeded',
    ])
    expect(runs[1]!.message).toContain('0 rows')
    expect((await cron.owner.query(`select to_regclass('public.half') as half`)).rows).toEqual([
      { half: null },
    ])
  })
})

describe('due times', () => {
  it('have exactly one run each', async () => {
    await cron.plan('job', '*/2 * * * *', 'select 1', '2026-05-01T00:00Z')
    cron.goTo('2026-05-01T00:00:30Z')
    const server = serve()
    await cron.quiet()
    expect(await cron.runs()).toEqual([])
    for (const [moment, count] of [
      ['2026-05-01T00:01:59Z', 0],
      ['2026-05-01T00:02:00Z', 1],
      ['2026-05-01T00:02:30Z', 1],
      ['2026-05-01T00:03:59Z', 1],
      ['2026-05-01T00:04:00.2Z', 2],
    ] as const) {
      cron.goTo(moment)
      await cron.quiet()
      expect(await cron.runs()).toHaveLength(count)
    }
    expect(server.stats()).toMatchObject({ succeeded: 2, failed: 0, lastDelayMs: 200 })
  })

  it('follow jobs that are created, changed, deactivated or deleted while the server runs', async () => {
    cron.goTo('2026-05-01T00:00:30Z')
    const server = serve()
    const id = await cron.plan('job', '0 1 * * *', 'select 1', '2026-05-01T00:00Z')
    await expect.poll(() => server.stats().jobs).toBe(1)
    await cron.owner.query('select cron.alter_job($1, active := false)', [id])
    await expect.poll(() => server.stats().jobs).toBe(0)
    await cron.owner.query('select cron.alter_job($1, active := true)', [id])
    await expect.poll(() => server.stats().jobs).toBe(1)
    await cron.owner.query(`select cron.unschedule('job')`)
    await expect.poll(() => server.stats().jobs).toBe(0)
  })

  it('of an interval count from its last run, and missed ones are skipped', async () => {
    await cron.plan('job', '10 seconds', 'select 1', '2026-05-01T00:00:00Z')
    cron.goTo('2026-05-01T00:00:05Z')
    serve()
    await cron.quiet()
    for (const [moment, count] of [
      ['2026-05-01T00:00:10.1Z', 1],
      ['2026-05-01T00:00:19.9Z', 1],
      ['2026-05-01T00:00:20Z', 2],
      ['2026-05-01T00:01:07Z', 3],
      ['2026-05-01T00:01:09Z', 3],
      ['2026-05-01T00:01:10Z', 4],
    ] as const) {
      cron.goTo(moment)
      await cron.quiet()
      expect(await cron.runs()).toHaveLength(count)
    }
  })

  it('@reboot runs once for each start of PostgreSQL', async () => {
    const before = '2000-01-01T00:00Z'
    await cron.plan('job', '@reboot', 'select 1', before)
    cron.goTo(new Date(Date.now() + 60_000).toISOString())
    const server = serve()
    await cron.ended(1)
    await server.close()
    serve()
    await cron.quiet()
    expect(await cron.runs()).toHaveLength(1)
  })

  it('a job that unschedules itself succeeds', async () => {
    await cron.plan('job', '0 3 * * *', `select cron.unschedule('job')`, '2026-05-01T00:00Z')
    cron.goTo('2026-05-01T03:00:10Z')
    serve()
    expect(await cron.ended(1)).toMatchObject([{ status: 'succeeded', message: '1 row' }])
  })
})

describe('daylight saving time', () => {
  const days = async (zone: string, schedule: string, moments: string[]): Promise<number[]> => {
    await cron.owner.query(`alter database postgres set cron.timezone to '${zone}'`)
    await cron.plan('job', schedule, 'select 1', moments[0]!)
    cron.goTo(moments[0]!)
    serve()
    await cron.quiet()
    const counts: number[] = []
    for (const moment of moments.slice(1)) {
      cron.goTo(moment)
      await cron.quiet()
      counts.push((await cron.runs()).length)
    }
    await cron.owner.query('alter database postgres reset cron.timezone')
    return counts
  }

  it('runs a skipped time of day at the time of the change', async () => {
    expect(
      await days('Europe/Berlin', '30 2 * * *', [
        '2026-03-29T00:00Z',
        '2026-03-29T00:59:59Z',
        '2026-03-29T01:00Z',
        '2026-03-29T01:30Z',
        '2026-03-30T00:30Z',
      ]),
    ).toEqual([0, 1, 1, 2])
  })

  it('runs a repeated time of day once', async () => {
    expect(
      await days('America/New_York', '30 1 * * *', [
        '2026-11-01T04:00Z',
        '2026-11-01T05:30Z',
        '2026-11-01T06:30Z',
        '2026-11-02T06:30Z',
      ]),
    ).toEqual([1, 1, 2])
  })

  it('changes by half an hour', async () => {
    expect(
      await days('Australia/Lord_Howe', '15 2 * * *', [
        '2026-10-03T15:00Z',
        '2026-10-03T15:29Z',
        '2026-10-03T15:30Z',
        '2026-10-03T15:45Z',
      ]),
    ).toEqual([0, 1, 1])
  })

  it('invalid settings have their defaults', async () => {
    await cron.owner.query(`alter database postgres set cron.max_running_jobs to 'many'`)
    expect(await days('GMT', '30 2 * * *', ['2026-05-01T00:00Z', '2026-05-01T02:30Z'])).toEqual([1])
    await cron.owner.query('alter database postgres reset cron.max_running_jobs')
  })

  it('an unknown time zone is logged, and GMT is used', async () => {
    expect(await days('Mars/Olympus', '30 2 * * *', ['2026-05-01T00:00Z', '2026-05-01T02:30Z'])).toEqual([1])
    expect(cron.lines.join('\n')).toContain('cron.timezone_unknown')
  })
})
