import { Client, type ClientConfig } from 'pg'
import type { Logger } from '../../logging/logger.ts'
import { connectionLost } from '../../postgres/connections/createNotificationListener.ts'
import { runWithReconnect } from '../../runtime/runWithReconnect.ts'
import { JobSessions } from './JobSessions.ts'
import { JobTable } from './JobTable.ts'
import { Scheduler, type CronStats, type SchedulerPorts } from './Scheduler.ts'

export interface CronService {
  stats(): CronStats
  /** Cancels runs and closes all connections. */
  close(): Promise<void>
}

export interface CronOptions {
  /** The login of the role postgres, which owns the tables of the extension and nearly all jobs. */
  owner: ClientConfig
  /** Returns the login of the user of a job; null for a user that must not log in. */
  login(username: string): ClientConfig | null
  log: Logger
  /** The clock, which tests replace; by default the clock of the database. */
  now?: SchedulerPorts['now']
  setTimer?: SchedulerPorts['setTimer']
}

/** The connection that listens. It also schedules jobs if this server is the leader. */
interface Session {
  client: Client
  table: JobTable
  isLeader: boolean
  /** Called once the connection works. Until then the delays between attempts increase. */
  established(): void
  abandon(): void
}

/** The interval at which a server that is not the scheduler tries to become it. */
const leadershipIntervalMs = 5_000
/**
 * Milliseconds that closing waits for running statements. A statement may ignore its cancellation and then ends with
 * PostgreSQL.
 */
const closeTimeoutMs = 5_000

const setProcessTimer: SchedulerPorts['setTimer'] = (afterMs, callback) => {
  const timer = setTimeout(callback, Math.max(0, afterMs))
  return () => clearTimeout(timer)
}

/**
 * Runs the jobs of the extension pg_cron if it is installed, on connections outside the pools. One connection listens
 * for changes of jobs. It also holds the lock that makes this server the only scheduler of the database. A lost
 * connection is reopened. Without jobs there is no timer.
 */
export function createCronService(o: CronOptions): CronService {
  const sessions = new JobSessions(o.login)
  const setTimer = o.setTimer ?? setProcessTimer
  const scheduler = new Scheduler(
    {
      log: o.log,
      now: o.now ?? ((table) => table.now()),
      setTimer,
      execute: (run, onRunning) => sessions.run(run, onRunning),
    },
    () => enqueue('start'),
  )
  const pending = new Set<'start' | 'reload'>()
  let working: Promise<void> | null = null
  let isWorking = false
  let current: Session | null = null
  let closed = false
  let cancelTimer = (): void => {}

  /** Work is done one step at a time; requests that arrive meanwhile are combined into one further step. */
  function enqueue(what: 'start' | 'reload'): void {
    pending.add(what)
    if (isWorking) return
    isWorking = true
    working = work()
  }

  async function work(): Promise<void> {
    for (;;) {
      const session = current
      if (!session || closed || pending.size === 0) {
        isWorking = false
        return
      }
      const reload = pending.has('reload')
      pending.clear()
      try {
        if (!session.isLeader) await tryToLead(session)
        else if (reload) await scheduler.reload()
        else await scheduler.startDue()
        session.established()
      } catch (error) {
        // The connection is lost, or the extension was dropped: reconnect in both cases.
        o.log.warn('cron.connection_lost', { reason: (error as Error).message })
        session.abandon()
      }
    }
  }

  async function tryToLead(session: Session): Promise<void> {
    cancelTimer()
    if (!(await session.table.isInstalled())) return
    if (await session.table.tryToLead()) {
      session.isLeader = true
      await scheduler.takeOver(session.table)
    } else {
      cancelTimer = setTimer(leadershipIntervalMs, () => enqueue('start'))
    }
  }

  const running = runWithReconnect({
    async attempt(_, established) {
      const client = new Client({
        ...o.owner,
        application_name: 'pg_cron scheduler',
        keepAlive: true,
        pipeline: true,
        // No object of a project may shadow those that are queried here; and a claim that a crash could undo would be
        // run again, so commits are synchronous whatever the database's setting is.
        options:
          '-c search_path=pg_catalog -c statement_timeout=0 -c idle_session_timeout=0 -c synchronous_commit=on',
      })
      const lost = connectionLost(client)
      let abandon = (): void => {}
      const abandoned = new Promise<void>((resolve) => {
        abandon = () => {
          current = null
          resolve()
        }
      })
      client.on('notification', () => enqueue('reload'))
      try {
        await client.connect()
        await client.query('listen pg_cron')
        const table = new JobTable(client)
        current = { client, table, isLeader: false, established, abandon }
        enqueue('start')
        await Promise.race([lost, abandoned])
      } finally {
        current = null
        if (!closed) {
          scheduler.pause()
          cancelTimer()
        }
        client.end().catch(() => {})
      }
    },
    onInterrupted() {},
  })

  return {
    stats: () => scheduler.stats(),
    async close() {
      closed = true
      const session = current
      const stopped = running.close()
      cancelTimer()
      await working
      let cancelTimeout = (): void => {}
      const timeout = new Promise<void>((resolve) => {
        cancelTimeout = setProcessTimer(closeTimeoutMs, resolve)
      })
      await Promise.race([scheduler.close(), timeout])
      cancelTimeout()
      await sessions.close()
      await session?.client.end().catch(() => {})
      await stopped
    },
  }
}
