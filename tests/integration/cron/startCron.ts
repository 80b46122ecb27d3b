import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest'
import { createCronService, type CronService } from '../../../backend/jobs/cron/createCronService.ts'
import { createLogger } from '../../../backend/logging/logger.ts'
import type { Pool } from '../../../backend/postgres/connections/pool.ts'
import {
  temporaryPostgres,
  type TemporaryPostgres,
} from '../../../backend/postgres/server/temporaryPostgres.ts'

interface Run {
  name: string
  status: string
  message: string | null
}

export interface TestCron {
  postgres: TemporaryPostgres
  owner: Pool
  /** Log entries. */
  lines: string[]
  /** Starts a server with the clock of the test, or with that of the database. */
  serve(o?: { ownClock?: boolean }): CronService
  /** Sets the clock and fires the timers that are due. */
  goTo(moment: string): void
  /** Creates a job whose due times are handled up to a moment. */
  plan(name: string, schedule: string, command: string, since: string): Promise<string>
  /** Deletes all jobs and runs. */
  clear(): Promise<void>
  /** All runs so far, by ID. */
  runs(): Promise<Run[]>
  /** Waits until so many runs have ended, and returns all. */
  ended(count: number): Promise<Run[]>
  /** Waits until all servers sleep, with nothing due. */
  quiet(): Promise<void>
  closeServers(): Promise<void>
  stop(): Promise<void>
}

/** PostgreSQL with pg_cron, and servers whose clock and timers the test controls. */
export async function startCron(): Promise<TestCron> {
  const postgres = await temporaryPostgres()
  const owner = postgres.pool('postgres')
  // The functions unschedule a thousand jobs one by one.
  const admin = postgres.pool('supabase_admin', 1)
  await owner.query(`select linnet_platform.create_extension('pg_cron', 'pg_catalog', null, false)`)
  const lines: string[] = []
  const log = createLogger({ format: 'json', minLevel: 'info', write: (line) => lines.push(line) })
  const wakes = new Set<{ at: number; callback: () => void }>()
  let servers: CronService[] = []
  let clock = 0

  const runs = async (): Promise<Run[]> => {
    const { rows } = await owner.query<Run>(
      `select coalesce(j.jobname, d.jobid::text) as name, d.status, d.return_message as message
       from cron.job_run_details d left join cron.job j using (jobid) order by d.runid`,
    )
    return rows
  }
  const closeServers = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.close()))
    servers = []
  }
  return {
    postgres,
    owner,
    lines,
    serve({ ownClock = false } = {}) {
      const server = createCronService({
        owner: postgres.config('postgres'),
        login: (username) => (username === 'postgres' ? postgres.config('postgres') : null),
        log,
        ...(ownClock
          ? {}
          : {
              now: () => Promise.resolve(clock),
              setTimer: (afterMs, callback) => {
                const wake = { at: clock + afterMs, callback }
                wakes.add(wake)
                return () => wakes.delete(wake)
              },
            }),
      })
      servers.push(server)
      return server
    },
    goTo(moment) {
      clock = Date.parse(moment)
      for (const wake of Array.from(wakes)) {
        if (wake.at > clock) continue
        wakes.delete(wake)
        wake.callback()
      }
    },
    async plan(name, schedule, command, since) {
      const { rows } = await owner.query<{ id: string }>('select cron.schedule($1, $2, $3) as id', [
        name,
        schedule,
        command,
      ])
      await owner.query('update cron.job_due set done_until = $2 where jobid = $1', [rows[0]!.id, since])
      return rows[0]!.id
    },
    async clear() {
      await admin.query('delete from cron.job where true')
      await admin.query('delete from cron.job_run_details where true')
    },
    runs,
    async ended(count) {
      return vi.waitFor(
        async () => {
          const found = await runs()
          const ended = found.filter(({ status }) => status === 'succeeded' || status === 'failed')
          if (ended.length < count) throw new Error(`${ended.length} runs of ${count} have ended`)
          return found
        },
        { interval: 20 },
      )
    },
    async quiet() {
      await vi.waitFor(
        () => {
          const busy = servers.some((server) => server.stats().running + server.stats().waiting > 0)
          const asleep = Array.from(wakes).some((wake) => wake.at > clock)
          if (busy || !asleep) throw new Error('something is due still')
        },
        { interval: 5 },
      )
    },
    closeServers,
    async stop() {
      await closeServers()
      await postgres.stop()
    },
  }
}

/**
 * Starts it for the tests of a file, with a table `public.ran` for what jobs have done. Before each test there are no jobs,
 * runs and rows; after each its servers end.
 */
export function useCron(columns: string, onStart: (cron: TestCron) => void): void {
  let cron: TestCron
  beforeAll(async () => {
    cron = await startCron()
    await cron.owner.query(`create table public.ran (${columns})`)
    onStart(cron)
  })
  afterAll(() => cron?.stop())
  beforeEach(async () => {
    await cron.clear()
    await cron.owner.query('delete from public.ran where true')
  })
  afterEach(() => cron.closeServers())
}
