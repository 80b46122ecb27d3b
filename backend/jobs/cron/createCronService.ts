import { Client, type ClientConfig } from 'pg'
import type { Logger } from '../../logging/logger.ts'
import { JobSessions } from './JobSessions.ts'
import { JobTable } from './JobTable.ts'
import { Scheduler, type CronStats, type SchedulerPorts } from './Scheduler.ts'

export interface CronService {
  stats(): CronStats
  /** Cancels runs and closes all connections. */
  close(): Promise<void>
}

export interface CronOptions {
  /** How postgres logs in, which owns the tables of the extension and nearly all jobs. */
  owner: ClientConfig
  /** How the user of a job logs in; null for one that must not. */
  login(username: string): ClientConfig | null
  log: Logger
  /** For tests; the clock of the database by default. */
  now?: SchedulerPorts['now']
  setTimer?: SchedulerPorts['setTimer']
}

/** Delay between attempts to connect, which doubles. */
const minRetryDelayMs = 100
const maxRetryDelayMs = 10_000
/** How often a server that is not the scheduler tries to become it. */
const leadershipIntervalMs = 5_000
/** A statement may ignore its cancellation; it then ends with PostgreSQL. */
const closeTimeoutMs = 5_000

const setProcessTimer: SchedulerPorts['setTimer'] = (afterMs, callback) => {
  const timer = setTimeout(callback, Math.max(0, afterMs))
  return () => clearTimeout(timer)
}

/**
 * Runs the jobs of the extension pg_cron where it is installed, on connections outside the pools. One connection
 * listens for changes of jobs and holds the lock that makes this server the only scheduler of the database; it is
 * reopened when it is lost. Without jobs there is no timer.
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
  let current: { client: Client; table: JobTable; isLeader: boolean; onLost(): void } | null = null
  let closed = false
  let cancelTimer = (): void => {}
  let failures = 0

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
        failures = 0
      } catch (error) {
        // The connection is lost, or the extension was dropped: reconnect in both cases.
        o.log.warn('cron reconnects', { reason: (error as Error).message })
        session.onLost()
      }
    }
  }

  async function tryToLead(session: NonNullable<typeof current>): Promise<void> {
    cancelTimer()
    if (!(await session.table.isInstalled())) return
    if (await session.table.tryToLead()) {
      session.isLeader = true
      await scheduler.takeOver(session.table)
    } else {
      cancelTimer = setTimer(leadershipIntervalMs, () => enqueue('start'))
    }
  }

  async function connect(): Promise<void> {
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
    let isLost = false
    const onLost = (): void => {
      if (isLost || closed) return
      isLost = true
      current = null
      scheduler.pause()
      cancelTimer()
      void client.end().catch(() => {})
      const delayMs = Math.min(minRetryDelayMs * 2 ** failures++, maxRetryDelayMs)
      cancelTimer = setProcessTimer(delayMs, () => void connect())
    }
    client.on('error', onLost)
    client.on('end', onLost)
    client.on('notification', () => enqueue('reload'))
    try {
      await client.connect()
      await client.query('listen pg_cron')
      current = { client, table: new JobTable(client), isLeader: false, onLost }
      enqueue('start')
    } catch {
      onLost()
    }
  }

  void connect()

  return {
    stats: () => scheduler.stats(),
    async close() {
      closed = true
      cancelTimer()
      await working
      let cancelTimeout = (): void => {}
      const timeout = new Promise<void>((resolve) => {
        cancelTimeout = setProcessTimer(closeTimeoutMs, resolve)
      })
      await Promise.race([scheduler.close(), timeout])
      cancelTimeout()
      await sessions.close()
      await current?.client.end().catch(() => {})
    },
  }
}
