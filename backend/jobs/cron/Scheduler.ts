import type { Logger } from '../../logging/log.ts'
import type { ClaimedRun, CronSettings, JobTable, Outcome } from './JobTable.ts'
import type { Execution } from './JobSessions.ts'
import { coveredBy, nextRun } from './nextRun.ts'
import { openZone, type Zone } from './openZone.ts'
import { parseSchedule, type Schedule } from './parseSchedule.ts'
import { tellDelayMs, tellRuns } from './tellRuns.ts'

/** What the scheduler asks of the world; all times in milliseconds since 1970. */
export interface SchedulerPorts {
  log: Logger
  /** The database's clock. */
  now(table: JobTable): Promise<number>
  /** Calls back after a while, once; answers with how to call it off. */
  wake(afterMs: number, callback: () => void): () => void
  execute(run: ClaimedRun, onRunning: (pid: number) => Promise<void>): Execution
}

export interface CronStats {
  jobs: number
  running: number
  /** Due, but as many run as may, or the job itself still does. */
  waiting: number
  succeeded: number
  failed: number
  /** Of the run that began last, from when it was due. */
  lastDelayMs: number
}

interface Job {
  id: string
  text: string
  schedule: Schedule
  doneUntil: number
  due: number
  /** It was due while nobody looked. */
  wasMissed: boolean
}

/** However far off the next run is, the clock is looked at again: it may have been set. */
const longestWaitMs = 60_000
/** As long as upstream makes up for each minute by itself; what a longer gap has missed is one run a job. */
const unseenMs = 5 * 60_000
/** Set back further than this, the clock is believed; until it has caught up otherwise, as upstream. */
const believedBackMs = 3 * 3_600_000

/**
 * Keeps the jobs of one database and starts each when it is due: at most once for each due time, never beside
 * itself, no more at once than allowed. Every method but `stats` is called by one caller after another.
 */
export class Scheduler {
  readonly #ports: SchedulerPorts
  readonly #onTurn: () => void
  readonly #tell: ReturnType<typeof tellRuns>
  #jobs = new Map<string, Job>()
  readonly #running = new Map<string, { runId: string | null; execution?: Execution }>()
  /** Ended, but not yet written down: the connection was lost meanwhile. */
  readonly #unwritten = new Map<string, Outcome>()
  #table: JobTable | null = null
  #settings!: CronSettings
  #zone!: Zone
  #startedAt = 0
  #seenAt = 0
  #sleepUntilWoken: () => void = () => {}
  readonly #stats = { succeeded: 0, failed: 0, lastDelayMs: 0 }

  /** @param onTurn asks the caller to call `startDue` */
  constructor(ports: SchedulerPorts, onTurn: () => void) {
    this.#ports = ports
    this.#tell = tellRuns(ports.log)
    this.#onTurn = onTurn
  }

  stats(): CronStats {
    const waiting = Array.from(this.#jobs.values()).filter((job) => job.due <= this.#seenAt).length
    return { jobs: this.#jobs.size, running: this.#running.size, waiting, ...this.#stats }
  }

  /** Takes over the jobs of a database that no other scheduler holds. */
  async lead(table: JobTable): Promise<void> {
    const settings = await table.settings()
    this.#zone = this.#openZone(settings.timezone)
    this.#settings = settings
    this.#startedAt = await table.startedAt()
    await this.#writeEnded(table)
    const own = Array.from(this.#running.values(), ({ runId }) => runId).filter((runId) => runId !== null)
    await table.endOrphans(own)
    const now = await this.#ports.now(table)
    await table.beginAt(now)
    this.#table = table
    // What has ended since the first time found no table to be written to.
    await this.#writeEnded(table)
    this.#jobs.clear()
    this.#seenAt = 0
    await this.reload()
  }

  async #writeEnded(table: JobTable): Promise<void> {
    for (const [runId, outcome] of this.#unwritten) {
      await table.finished(runId, outcome)
      this.#unwritten.delete(runId)
    }
  }

  /** Jobs under way run on; nothing new begins until `lead`. */
  rest(): void {
    this.#table = null
    this.#sleepUntilWoken()
  }

  /** Reads the jobs again, and breaks off runs whose job is no more. */
  async reload(): Promise<void> {
    if (!this.#table) return
    const rows = this.#settings.launchActive ? await this.#table.load() : []
    const known = this.#jobs
    this.#jobs = new Map()
    for (const row of rows) {
      const before = known.get(row.id)
      const job = before?.text === row.schedule ? { ...before, doneUntil: row.doneUntil } : this.#read(row)
      if (!job) continue
      job.due = this.#dueAfter(job)
      this.#jobs.set(row.id, job)
    }
    const active = new Set(rows.map(({ id }) => id))
    for (const [id, { execution }] of this.#running) if (!active.has(id)) execution?.cancel('job canceled')
    await this.startDue()
  }

  /** Starts what is due, as far as there is room, and sleeps until the next is. */
  async startDue(): Promise<void> {
    const table = this.#table
    if (!table) return
    this.#sleepUntilWoken()
    if (this.#jobs.size === 0) return
    const now = await this.#ports.now(table)
    if (now < this.#seenAt - believedBackMs) {
      await table.beginAt(now)
      for (const job of this.#jobs.values()) {
        job.doneUntil = Math.min(job.doneUntil, now)
        job.due = this.#dueAfter(job)
      }
    }
    const wasUnseen = now - this.#seenAt > unseenMs
    this.#seenAt = now
    const due = Array.from(this.#jobs.values()).filter((job) => job.due <= now)
    for (const job of due) job.wasMissed ||= wasUnseen
    due.sort((a, b) => a.due - b.due || Number(a.id) - Number(b.id))
    const starting: Promise<void>[] = []
    for (const job of due) {
      if (this.#running.size >= this.#settings.maxRunning) break
      if (!this.#running.has(job.id)) starting.push(this.#start(table, job, now))
    }
    await Promise.all(starting)
    this.#sleep(now)
  }

  /** Breaks off what runs and waits for its end to be written down. */
  async close(): Promise<void> {
    this.#sleepUntilWoken()
    for (const { execution } of this.#running.values()) execution?.cancel('server stopped')
    await Promise.all(Array.from(this.#running.values(), ({ execution }) => execution?.outcome))
    // Each writes as soon as it has ended, over a connection that keeps their order.
    await this.#table?.now().catch(() => {})
    this.rest()
  }

  #openZone(name: string): Zone {
    try {
      return openZone(name)
    } catch {
      this.#ports.log.warn('cron.timezone is unknown; schedules follow GMT', { name })
      return openZone('GMT')
    }
  }

  #read(row: { id: string; schedule: string; doneUntil: number }): Job | null {
    const schedule = parseSchedule(row.schedule)
    if (!schedule) {
      this.#ports.log.warn('cron job has an invalid schedule and never runs', { job: row.id })
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
    // One that runs, or has no room, is looked at when a run ends.
    for (const job of this.#jobs.values()) if (job.due > now) next = Math.min(next, job.due)
    const wait = Math.min(longestWaitMs, next - now)
    this.#sleepUntilWoken = this.#ports.wake(wait, this.#onTurn)
  }

  async #start(table: JobTable, job: Job, now: number): Promise<void> {
    const { due, wasMissed } = job
    const until = coveredBy(job.schedule, due, now, wasMissed)
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
        if (run.runId !== null) await this.#table?.running(run.runId, pid)
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
    this.#tell({ jobId, runId, succeeded: outcome.succeeded, due, delayMs })
    if (run.runId !== null) {
      const message =
        delayMs > tellDelayMs
          ? `${outcome.message.trimEnd()} (due ${new Date(due).toISOString()}, ${Math.round(delayMs / 1000)} s late)`
          : outcome.message
      const told = { ...outcome, message }
      this.#unwritten.set(run.runId, told)
      await this.#table?.finished(run.runId, told).then(
        () => this.#unwritten.delete(run.runId!),
        () => {},
      )
    }
    this.#running.delete(run.jobId)
    this.#onTurn()
  }
}
