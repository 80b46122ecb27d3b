import type { Logger } from '../../logging/logger.ts'
import type { ClaimedRun, CronSettings, JobTable, Outcome } from './JobTable.ts'
import type { Execution } from './JobSessions.ts'
import { coveredUntil, nextRun } from './nextDue.ts'
import { openTimeZone, type TimeZone } from './openTimeZone.ts'
import { parseSchedule, type Schedule } from './parseSchedule.ts'
import { lateRunMs, createRunLogger } from './logRuns.ts'

/** What the scheduler needs from outside; all times in milliseconds since 1970. */
export interface SchedulerPorts {
  log: Logger
  /** The database's clock. */
  now(table: JobTable): Promise<number>
  /** Calls `callback` once after `afterMs`. Returns a function that cancels it. */
  setTimer(afterMs: number, callback: () => void): () => void
  execute(run: ClaimedRun, onRunning: (pid: number) => Promise<void>): Execution
}

export interface CronStats {
  jobs: number
  running: number
  /** Due, but the maximum of runs is in progress, or the job itself still runs. */
  waiting: number
  succeeded: number
  failed: number
  /** Delay of the run that started last. */
  lastDelayMs: number
}

interface Job {
  id: string
  text: string
  schedule: Schedule
  doneUntil: number
  due: number
  /** It became due while the scheduler was not running. */
  wasMissed: boolean
}

/** However far off the next run is, the clock is read again after this: it may have been set. */
const maxSleepMs = 60_000
/** After a gap of up to this, each missed due time is run, as in pg_cron; after a longer one, each job runs once. */
const maxGapMs = 5 * 60_000
/** If the clock was set back by more than this, the new time counts; otherwise jobs wait until it has caught up, as in pg_cron. */
const maxClockSetbackMs = 3 * 3_600_000

/**
 * Starts the jobs of one database when they are due: at most once per due time, never two runs of a job at a time, and
 * no more concurrent runs than configured. Calls of all methods but `stats` must not overlap.
 */
export class Scheduler {
  readonly #ports: SchedulerPorts
  readonly #requestStart: () => void
  readonly #logRun: ReturnType<typeof createRunLogger>
  #jobs = new Map<string, Job>()
  readonly #running = new Map<string, { runId: string | null; execution?: Execution }>()
  /** Results of runs that ended while the connection was lost, not yet recorded. */
  readonly #pendingOutcomes = new Map<string, Outcome>()
  #table: JobTable | null = null
  #settings!: CronSettings
  #zone!: TimeZone
  #startedAt = 0
  #checkedAt = 0
  #cancelTimer: () => void = () => {}
  readonly #stats = { succeeded: 0, failed: 0, lastDelayMs: 0 }

  /** @param requestStart requests a call of `startDue` */
  constructor(ports: SchedulerPorts, requestStart: () => void) {
    this.#ports = ports
    this.#logRun = createRunLogger(ports.log)
    this.#requestStart = requestStart
  }

  stats(): CronStats {
    const waiting = Array.from(this.#jobs.values()).filter((job) => job.due <= this.#checkedAt).length
    return { jobs: this.#jobs.size, running: this.#running.size, waiting, ...this.#stats }
  }

  /** Takes over the jobs of a database that has no other scheduler. */
  async takeOver(table: JobTable): Promise<void> {
    const settings = await table.settings()
    this.#zone = this.#openTimeZone(settings.timezone)
    this.#settings = settings
    this.#startedAt = await table.startedAt()
    await this.#recordPendingOutcomes(table)
    const own = Array.from(this.#running.values(), ({ runId }) => runId).filter((runId) => runId !== null)
    await table.failOrphanedRuns(own)
    const now = await this.#ports.now(table)
    await table.initializeDueTimes(now)
    this.#table = table
    // Runs that ended since the first call found no table to be recorded in.
    await this.#recordPendingOutcomes(table)
    this.#jobs.clear()
    this.#checkedAt = 0
    await this.reload()
  }

  async #recordPendingOutcomes(table: JobTable): Promise<void> {
    for (const [runId, outcome] of this.#pendingOutcomes) {
      await table.markFinished(runId, outcome)
      this.#pendingOutcomes.delete(runId)
    }
  }

  /** Runs in progress go on; none is started until `takeOver`. */
  pause(): void {
    this.#table = null
    this.#cancelTimer()
  }

  /** Reads the jobs again, and cancels runs of jobs that were deleted or deactivated. */
  async reload(): Promise<void> {
    if (!this.#table) return
    const rows = this.#settings.launchActive ? await this.#table.loadActive() : []
    const previous = this.#jobs
    this.#jobs = new Map()
    for (const row of rows) {
      const before = previous.get(row.id)
      const job =
        before?.text === row.schedule ? { ...before, doneUntil: row.doneUntil } : this.#parseJob(row)
      if (!job) continue
      job.due = this.#dueAfter(job)
      this.#jobs.set(row.id, job)
    }
    const active = new Set(rows.map(({ id }) => id))
    for (const [id, { execution }] of this.#running) if (!active.has(id)) execution?.cancel('job canceled')
    await this.startDue()
  }

  /** Starts jobs that are due, up to the maximum of runs, and sets a timer for the next one. */
  async startDue(): Promise<void> {
    const table = this.#table
    if (!table) return
    this.#cancelTimer()
    if (this.#jobs.size === 0) return
    const now = await this.#ports.now(table)
    if (now < this.#checkedAt - maxClockSetbackMs) {
      await table.initializeDueTimes(now)
      for (const job of this.#jobs.values()) {
        job.doneUntil = Math.min(job.doneUntil, now)
        job.due = this.#dueAfter(job)
      }
    }
    const hadGap = now - this.#checkedAt > maxGapMs
    this.#checkedAt = now
    const due = Array.from(this.#jobs.values()).filter((job) => job.due <= now)
    for (const job of due) job.wasMissed ||= hadGap
    due.sort((a, b) => a.due - b.due || Number(a.id) - Number(b.id))
    const starting: Promise<void>[] = []
    for (const job of due) {
      if (this.#running.size >= this.#settings.maxRunning) break
      if (!this.#running.has(job.id)) starting.push(this.#start(table, job, now))
    }
    await Promise.all(starting)
    this.#sleep(now)
  }

  /** Cancels runs and waits until their results are recorded. */
  async close(): Promise<void> {
    this.#cancelTimer()
    for (const { execution } of this.#running.values()) execution?.cancel('server stopped')
    await Promise.all(Array.from(this.#running.values(), ({ execution }) => execution?.outcome))
    // Each run is recorded when it ends, over one connection, so that this query comes after them.
    await this.#table?.now().catch(() => {})
    this.pause()
  }

  #openTimeZone(name: string): TimeZone {
    try {
      return openTimeZone(name)
    } catch {
      this.#ports.log.warn('cron.timezone_unknown', { name, used: 'GMT' })
      return openTimeZone('GMT')
    }
  }

  #parseJob(row: { id: string; schedule: string; doneUntil: number }): Job | null {
    const schedule = parseSchedule(row.schedule)
    if (!schedule) {
      this.#ports.log.warn('cron.schedule_invalid', { job: row.id })
      return null
    }
    if (schedule.kind === 'calendar') schedule.bothDays ||= this.#settings.matchBothDays
    return {
      id: row.id,
      text: row.schedule,
      schedule,
      doneUntil: row.doneUntil,
      due: Infinity,
      wasMissed: false,
    }
  }

  #dueAfter(job: Job): number {
    return nextRun(job.schedule, job.doneUntil, this.#zone, this.#startedAt)
  }

  #sleep(now: number): void {
    let next = Infinity
    // A job that is due already waits for the end of a run.
    for (const job of this.#jobs.values()) if (job.due > now) next = Math.min(next, job.due)
    const wait = Math.min(maxSleepMs, next - now)
    this.#cancelTimer = this.#ports.setTimer(wait, this.#requestStart)
  }

  async #start(table: JobTable, job: Job, now: number): Promise<void> {
    const { due, wasMissed } = job
    const until = coveredUntil(job.schedule, due, now, wasMissed)
    const own: { runId: string | null; execution?: Execution } = { runId: null }
    this.#running.set(job.id, own)
    try {
      const run = await table.claim(job.id, until, this.#settings.logRun)
      job.doneUntil = until
      job.due = this.#dueAfter(job)
      job.wasMissed = false
      if (!run) {
        this.#running.delete(job.id)
        return
      }
      own.runId = run.runId
      this.#stats.lastDelayMs = Math.max(0, now - due)
      own.execution = this.#ports.execute(run, async (pid) => {
        if (run.runId !== null) await this.#table?.markRunning(run.runId, pid)
      })
      void own.execution.outcome.then((outcome) => this.#finish(run, outcome, due, now - due))
    } catch (error) {
      this.#running.delete(job.id)
      throw error
    }
  }

  async #finish(run: ClaimedRun, outcome: Outcome, due: number, delayMs: number): Promise<void> {
    const { jobId, runId } = run
    this.#stats[outcome.succeeded ? 'succeeded' : 'failed']++
    this.#logRun({ jobId, runId, succeeded: outcome.succeeded, due, delayMs })
    if (run.runId !== null) {
      const message =
        delayMs > lateRunMs
          ? `${outcome.message.trimEnd()} (due ${new Date(due).toISOString()}, ${Math.round(delayMs / 1000)} s late)`
          : outcome.message
      const recorded = { ...outcome, message }
      this.#pendingOutcomes.set(run.runId, recorded)
      await this.#table?.markFinished(run.runId, recorded).then(
        () => this.#pendingOutcomes.delete(run.runId!),
        () => {},
      )
    }
    this.#running.delete(run.jobId)
    this.#requestStart()
  }
}
