import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { describe, expect, it, vi } from 'vitest'
import type { CronService } from '../../../backend/jobs/cron/createCronService.ts'
import { JobSessions } from '../../../backend/jobs/cron/JobSessions.ts'
import { useCron, type TestCron } from './startCron.ts'

/** Each due time at most once, late rather than lost, whatever happens to servers, connections and clocks. */
let cron: TestCron
useCron('what text', (started) => (cron = started))
const serve = (): CronService => cron.serve()
/** Cuts connections as a kill of their server, or of PostgreSQL, would. */
const cut = (name: string): Promise<unknown> =>
  cron.owner.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
    name,
  ])
const SIGINT = 1 << (constants.signals.SIGINT - 1)
/** The signals that a process has received and not handled, one bit for each. */
const pendingSignals = (pid: number): number => {
  const [, bits = '0'] = /^ShdPnd:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number.parseInt(bits, 16)
}
const counted = async (sql: string): Promise<number> =>
  Number(Object.values((await cron.owner.query(sql)).rows[0]!)[0])

describe('missed due times', () => {
  it('are one run per job, which records its delay', async () => {
    await cron.plan('hourly', '0 * * * *', `insert into public.ran values ('hourly')`, '2026-05-01T00:00Z')
    await cron.plan('minutes', '* * * * *', `insert into public.ran values ('minutes')`, '2026-05-01T00:00Z')
    await cron.plan('later', '0 12 * * *', `insert into public.ran values ('later')`, '2026-05-01T00:00Z')
    cron.goTo('2026-05-01T05:30:30Z')
    serve()
    await cron.quiet()
    const runs = await cron.ended(2)
    expect(runs.map(({ name, message }) => [name, message])).toEqual([
      ['minutes', 'INSERT 0 1 (due 2026-05-01T00:01:00.000Z, 19770 s late)'],
      ['hourly', 'INSERT 0 1 (due 2026-05-01T01:00:00.000Z, 16230 s late)'],
    ])
    cron.goTo('2026-05-01T05:31:00Z')
    await cron.quiet()
    expect(await cron.runs()).toHaveLength(3)
  })

  it('are handled in the same way after a suspend; those of a few minutes are run one by one', async () => {
    await cron.plan('minutes', '* * * * *', 'select 1', '2026-05-01T00:00Z')
    cron.goTo('2026-05-01T00:00:30Z')
    serve()
    await cron.quiet()
    cron.goTo('2026-05-01T00:04:10Z')
    await cron.quiet()
    expect(await cron.ended(4)).toHaveLength(4)
    cron.goTo('2026-05-01T09:00:10Z')
    await cron.quiet()
    expect(await cron.ended(5)).toHaveLength(5)
  })

  it('do not include times before the job was created', async () => {
    cron.goTo(new Date().toISOString())
    const server = serve()
    await cron.owner.query(`select cron.schedule('yearly', '0 0 1 1 *', 'select 1')`)
    await expect.poll(() => server.stats().jobs).toBe(1)
    await cron.quiet()
    expect(await cron.runs()).toEqual([])
  })

  it('count from the last change of the schedule', async () => {
    const id = await cron.plan('job', '0 0 1 1 *', 'select 1', '2020-01-01T00:00Z')
    // A schedule of each minute could be due between this statement and the next one.
    await cron.owner.query(`select cron.alter_job($1, '0 0 1 7 *')`, [id])
    cron.goTo(new Date().toISOString())
    serve()
    await cron.quiet()
    expect(await cron.runs()).toEqual([])
  })
})

describe('a change of the clock', () => {
  it('back by an hour repeats no run; by a year, the new time counts', async () => {
    await cron.plan('job', '*/10 * * * *', 'select 1', '2026-05-01T00:00Z')
    cron.goTo('2026-05-01T05:05Z')
    const server = serve()
    await cron.quiet()
    expect(await cron.ended(1)).toHaveLength(1)
    cron.goTo('2026-05-01T04:10Z')
    cron.goTo('2026-05-01T04:10Z')
    await cron.owner.query(`notify pg_cron`)
    await cron.quiet()
    expect(await cron.runs()).toHaveLength(1)
    cron.goTo('2025-05-01T04:09Z')
    await cron.owner.query(`notify pg_cron`)
    await vi.waitFor(async () =>
      expect(await counted(`select count(*) from cron.job_due where done_until = '2025-05-01T04:09Z'`)).toBe(
        1,
      ),
    )
    await cron.quiet()
    cron.goTo('2025-05-01T04:10Z')
    await cron.ended(2)
    await cron.quiet()
    expect(await cron.runs()).toHaveLength(2)
    expect(server.stats().succeeded).toBe(2)
  })
})

describe('concurrent runs', () => {
  it('of one job wait for each other, in order', async () => {
    const gate = `select pg_advisory_xact_lock(4711); insert into public.ran values ('x')`
    await cron.plan('slow', '* * * * *', gate, '2026-05-01T00:00Z')
    cron.goTo('2026-05-01T00:00:30Z')
    const server = serve()
    await cron.quiet()
    await cron.owner.withClient(async (client) => {
      await client.query('select pg_advisory_lock(4711)')
      cron.goTo('2026-05-01T00:01:00Z')
      await expect.poll(() => server.stats().running).toBe(1)
      cron.goTo('2026-05-01T00:02:00Z')
      cron.goTo('2026-05-01T00:03:00Z')
      await cron.owner.query('notify pg_cron')
      await expect.poll(() => server.stats()).toMatchObject({ running: 1, waiting: 1 })
      expect(await cron.runs()).toHaveLength(1)
      await client.query('select pg_advisory_unlock(4711)')
    })
    await cron.quiet()
    expect(await cron.ended(3)).toHaveLength(3)
    const overlaps = await counted(
      `select count(*) from cron.job_run_details a join cron.job_run_details b
       on a.runid < b.runid and b.start_time < a.end_time`,
    )
    expect(overlaps).toBe(0)
  })

  it('are limited by cron.max_running_jobs; others wait', async () => {
    await cron.owner.query('alter database postgres set cron.max_running_jobs to 2')
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await cron.plan(name, '0 3 * * *', 'select pg_advisory_xact_lock_shared(4712)', '2026-05-01T00:00Z')
    }
    await cron.owner.withClient(async (client) => {
      await client.query('select pg_advisory_lock(4712)')
      cron.goTo('2026-05-01T03:00Z')
      const server = serve()
      await expect.poll(() => server.stats()).toMatchObject({ running: 2, waiting: 3 })
      await client.query('select pg_advisory_unlock(4712)')
    })
    await cron.ended(5)
    await cron.owner.query('alter database postgres reset cron.max_running_jobs')
  })

  it('are cancelled when their job is unscheduled', async () => {
    await cron.plan('job', '0 3 * * *', 'select pg_sleep(60)', '2026-05-01T00:00Z')
    cron.goTo('2026-05-01T03:00Z')
    const server = serve()
    await vi.waitFor(async () => expect(await cron.runs()).toMatchObject([{ status: 'running' }]))
    await cron.owner.query(`select cron.unschedule('job')`)
    expect(await cron.ended(1)).toMatchObject([{ status: 'failed', message: 'job canceled' }])
    await expect.poll(() => server.stats().running).toBe(0)
  })

  // Whether a process has received a signal can be read on Linux only.
  it.runIf(existsSync('/proc/self/status'))(
    'are cancelled also if PostgreSQL receives the request before the command',
    async () => {
      const sessions = new JobSessions(() => cron.postgres.config('postgres'))
      const command = 'select pg_sleep(600)'
      let backend = 0
      const execution = sessions.run(
        { jobId: '1', runId: null, database: 'postgres', username: 'postgres', command },
        (pid) => {
          backend = pid
          process.kill(pid, 'SIGSTOP')
          return Promise.resolve()
        },
      )
      await expect.poll(() => backend).not.toBe(0)
      execution.cancel('job canceled')
      await expect.poll(() => pendingSignals(backend) & SIGINT).toBe(SIGINT)
      process.kill(backend, 'SIGCONT')
      expect(await execution.outcome).toEqual({ succeeded: false, message: 'job canceled' })
      await sessions.close()
    },
  )
})

describe('at most one run per due time', () => {
  it('after a restart of the server', async () => {
    await cron.plan('job', '0 3 * * *', 'select 1', '2026-05-01T00:00Z')
    cron.goTo('2026-05-01T03:00:10Z')
    for (let i = 0; i < 3; i++) {
      const server = serve()
      await cron.quiet()
      await cron.ended(1)
      await server.close()
    }
    expect(await cron.runs()).toHaveLength(1)
  })

  it('of two servers, one runs the jobs, and the other after it has ended', async () => {
    await cron.plan('job', '* * * * *', 'select 1', '2026-05-01T00:00Z')
    cron.goTo('2026-05-01T00:00:30Z')
    const pair = [serve(), serve()]
    await cron.quiet()
    for (let minute = 1; minute <= 5; minute++) {
      cron.goTo(`2026-05-01T00:0${minute}:00Z`)
      await cron.quiet()
      expect(await cron.ended(minute)).toHaveLength(minute)
    }
    const ran = pair.map((server) => server.stats().succeeded)
    expect(ran.toSorted()).toEqual([0, 5])
    await pair[ran.indexOf(5)]!.close()
    const heir = pair[ran.indexOf(0)]!
    cron.goTo('2026-05-01T00:06:00Z')
    await vi.waitFor(() => {
      cron.goTo('2026-05-01T00:06:00Z')
      expect(heir.stats().succeeded).toBe(1)
    })
    expect(await cron.ended(6)).toHaveLength(6)
  })

  it('a server that reconnects continues with its runs in progress', async () => {
    await cron.plan('slow', '0 3 * * *', 'select pg_advisory_xact_lock(4713)', '2026-05-01T00:00Z')
    await cron.owner.withClient(async (client) => {
      await client.query('select pg_advisory_lock(4713)')
      cron.goTo('2026-05-01T03:00Z')
      const server = serve()
      await vi.waitFor(async () => expect(await cron.runs()).toMatchObject([{ status: 'running' }]))
      await cut('pg_cron scheduler')
      await expect.poll(() => server.stats().running).toBe(1)
      await vi.waitFor(async () =>
        expect(
          await counted(
            `select count(*) from pg_locks join pg_stat_activity using (pid)
             where locktype = 'advisory' and application_name = 'pg_cron scheduler'`,
          ),
        ).toBe(1),
      )
      await client.query('select pg_advisory_unlock(4713)')
    })
    expect(await cron.ended(1)).toMatchObject([{ status: 'succeeded', message: '1 row' }])
  })

  it('a run whose session is terminated has failed', async () => {
    await cron.plan('job', '0 3 * * *', 'select pg_sleep(60)', '2026-05-01T00:00Z')
    cron.goTo('2026-05-01T03:00Z')
    serve()
    await vi.waitFor(async () => expect(await cron.runs()).toMatchObject([{ status: 'running' }]))
    await cut('pg_cron')
    expect(await cron.ended(1)).toMatchObject([{ status: 'failed' }])
  })

  it('a thousand jobs of one minute have one run each', async () => {
    await cron.owner.query(
      `select cron.schedule('job ' || n, '0 3 * * *', 'insert into public.ran values (' || n || ')')
       from generate_series(1, 1000) as n`,
    )
    await cron.owner.query(`update cron.job_due set done_until = '2026-05-01T00:00Z' where true`)
    cron.goTo('2026-05-01T03:00Z')
    const pair = [serve(), serve()]
    await expect.poll(() => pair.reduce((sum, server) => sum + server.stats().succeeded, 0)).toBe(1000)
    const runs = await cron.ended(1000)
    expect(runs.filter(({ status }) => status === 'succeeded')).toHaveLength(1000)
    expect(await counted('select count(distinct what) from public.ran')).toBe(1000)
    expect(await counted('select count(*) from public.ran')).toBe(1000)
  })
})

it('waits without a timer if there are no jobs, or if the extension is not installed', async () => {
  const server = serve()
  await cron.owner.query(`select linnet_platform.drop_extension('pg_cron', false)`)
  await cron.owner.query(`notify pg_cron`)
  await expect.poll(() => server.stats().jobs).toBe(0)
  await cron.owner.query(`select linnet_platform.create_extension('pg_cron', 'pg_catalog', null, false)`)
  await cron.plan('job', '0 3 * * *', 'select 1', '2026-05-01T00:00Z')
  cron.goTo('2026-05-01T03:00Z')
  await cron.owner.query(`notify pg_cron`)
  expect(await cron.ended(1)).toMatchObject([{ status: 'succeeded' }])
})
