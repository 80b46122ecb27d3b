import { Client, type ClientConfig } from 'pg'
import type { Logger } from '../../logging/log.ts'
import { JobSessions } from './JobSessions.ts'
import { JobTable } from './JobTable.ts'
import { Scheduler, type CronStats, type SchedulerPorts } from './Scheduler.ts'

export interface CronService {
  stats(): CronStats
  /** Ends what runs and lets go of the database. */
  close(): Promise<void>
}

export interface CronOptions {
  /** How postgres logs in, who owns the tables of the extension and nearly all jobs. */
  owner: ClientConfig
  /** How the user of a job logs in; null for one who must not. */
  login(username: string): ClientConfig | null
  log: Logger
  /** For tests: the clock of the database unless said. */
  now?: SchedulerPorts['now']
  wake?: SchedulerPorts['wake']
}

/** Between attempts to connect, doubling. */
const firstPauseMs = 100
const longestPauseMs = 10_000
/** How often one that is not the scheduler tries to be. */
const followMs = 5_000
/** A statement may refuse to be broken off; the end of PostgreSQL ends it then. */
const patienceMs = 5_000

const wakeByTimer: SchedulerPorts['wake'] = (afterMs, callback) => {
  const timer = setTimeout(callback, Math.max(0, afterMs))
  return () => clearTimeout(timer)
}

/**
 * Runs the jobs of the extension pg_cron where it is installed, on connections outside the pools. One connection
 * listens for changes of jobs and holds a lock that makes this server the one scheduler of the database; it is made
 * anew when it is lost. Without jobs there is no timer.
 */
export function createCronService(o: CronOptions): CronService {
  const sessions = new JobSessions(o.login)
  const wake = o.wake ?? wakeByTimer
  const scheduler = new Scheduler(
    {
      log: o.log,
      now: o.now ?? ((table) => table.now()),
      wake,
      execute: (run, onRunning) => sessions.run(run, onRunning),
    },
    () => ask('start'),
  )
  const asked = new Set<'start' | 'reload'>()
  let working: Promise<void> | null = null
  let isWorking = false
  let current: { client: Client; table: JobTable; leads: boolean; lose(): void } | null = null
  let closed = false
  let callOff = (): void => {}
  let failures = 0

  /** One turn after another: what is asked meanwhile is done once, afterwards. */
  function ask(what: 'start' | 'reload'): void {
    asked.add(what)
    if (isWorking) return
    isWorking = true
    working = work()
  }

  async function work(): Promise<void> {
    for (;;) {
      const session = current
      if (!session || closed || asked.size === 0) {
        isWorking = false
        return
      }
      const reload = asked.has('reload')
      asked.clear()
      try {
        if (!session.leads) await follow(session)
        else if (reload) await scheduler.reload()
        else await scheduler.startDue()
        failures = 0
      } catch (error) {
        // The connection is lost, or the extension was dropped: both begin anew.
        o.log.warn('cron begins anew', { reason: (error as Error).message })
        session.lose()
      }
    }
  }

  async function follow(session: NonNullable<typeof current>): Promise<void> {
    callOff()
    if (!(await session.table.isThere())) return
    if (await session.table.lead()) {
      session.leads = true
      await scheduler.lead(session.table)
    } else {
      callOff = wake(followMs, () => ask('start'))
    }
  }

  async function connect(): Promise<void> {
    const client = new Client({
      ...o.owner,
      application_name: 'pg_cron scheduler',
      keepAlive: true,
      pipeline: true,
      // Nothing that a project has made may stand in for what is asked here, and a claim that a crash could take
      // back would be run again, whatever is set for others.
      options:
        '-c search_path=pg_catalog -c statement_timeout=0 -c idle_session_timeout=0 -c synchronous_commit=on',
    })
    let isLost = false
    const lose = (): void => {
      if (isLost || closed) return
      isLost = true
      current = null
      scheduler.rest()
      callOff()
      void client.end().catch(() => {})
      const pause = Math.min(firstPauseMs * 2 ** failures++, longestPauseMs)
      callOff = wakeByTimer(pause, () => void connect())
    }
    client.on('error', lose)
    client.on('end', lose)
    client.on('notification', () => ask('reload'))
    try {
      await client.connect()
      await client.query('listen pg_cron')
      current = { client, table: new JobTable(client), leads: false, lose }
      ask('start')
    } catch {
      lose()
    }
  }

  void connect()

  return {
    stats: () => scheduler.stats(),
    async close() {
      closed = true
      callOff()
      await working
      let callOffWait = (): void => {}
      const patience = new Promise<void>((resolve) => {
        callOffWait = wakeByTimer(patienceMs, resolve)
      })
      await Promise.race([scheduler.close(), patience])
      callOffWait()
      await sessions.close()
      await current?.client.end().catch(() => {})
    },
  }
}
