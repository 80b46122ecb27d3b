import type { Client } from 'pg'

/** A row of cron.job. IDs of jobs and runs are bigint, as text. */
export interface JobRow {
  id: string
  schedule: string
  /** Due times up to here have been handled; milliseconds since 1970. */
  doneUntil: number
}

/** A run that this server alone has claimed. */
export interface ClaimedRun {
  jobId: string
  /** Null where `cron.log_run` is off. */
  runId: string | null
  database: string
  username: string
  command: string
}

export interface CronSettings {
  timezone: string
  maxRunning: number
  logRun: boolean
  launchActive: boolean
  matchBothDays: boolean
}

/** Concurrent runs: a project's services need most of the connections. */
const defaultMaxRunning = 8

/** The session that holds this advisory lock is the only scheduler of the database. */
const leaderLock = "hashtextextended('pg_cron scheduler', 0)"

/** The tables of the extension, accessed over the scheduler's connection: as postgres, which can select all jobs. */
export class JobTable {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  async isInstalled(): Promise<boolean> {
    const { rows } = await this.#client.query<{ there: boolean }>(
      `select to_regclass('cron.job_due') is not null and to_regclass('cron.job_run_details') is not null as there`,
    )
    return rows[0]!.there
  }

  /** Settings of the database or the server. Missing and invalid ones have pg_cron's defaults, except for fewer concurrent runs. */
  async settings(): Promise<CronSettings> {
    const { rows } = await this.#client.query<Record<string, string | null>>(`select
      current_setting('cron.timezone', true) as timezone,
      current_setting('cron.max_running_jobs', true) as max,
      current_setting('cron.log_run', true) as log,
      current_setting('cron.launch_active_jobs', true) as launch,
      current_setting('cron.match_dom_and_dow', true) as both`)
    const { timezone, max, log, launch, both } = rows[0]!
    const isOn = (setting: string | null | undefined): boolean => /^(on|true|yes|1)$/i.test(setting ?? '')
    const isOff = (setting: string | null | undefined): boolean => /^(off|false|no|0)$/i.test(setting ?? '')
    return {
      timezone: timezone || 'GMT',
      maxRunning: Math.max(1, Math.trunc(Number(max || defaultMaxRunning)) || defaultMaxRunning),
      logRun: !isOff(log),
      launchActive: !isOff(launch),
      matchBothDays: isOn(both),
    }
  }

  /** The database's clock, in milliseconds since 1970. */
  async now(): Promise<number> {
    const { rows } = await this.#client.query<{ now: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
    )
    return rows[0]!.now
  }

  /** When PostgreSQL started, in milliseconds since 1970. */
  async startedAt(): Promise<number> {
    const { rows } = await this.#client.query<{ at: number }>(
      'select (extract(epoch from pg_postmaster_start_time()) * 1000)::float8 as at',
    )
    return rows[0]!.at
  }

  /** Whether this connection has become the only scheduler, for as long as it lasts. */
  async tryToLead(): Promise<boolean> {
    const { rows } = await this.#client.query<{ leads: boolean }>(
      `select pg_try_advisory_lock(${leaderLock}) as leads`,
    )
    return rows[0]!.leads
  }

  /**
   * Terminates runs that a previous scheduler left in progress, and marks them as failed in pg_cron's words.
   * @param own runs of this server that are in progress or not yet recorded
   */
  async failOrphanedRuns(own: string[]): Promise<void> {
    await this.#client.query(
      `select pg_terminate_backend(a.pid) from cron.job_run_details d
       join pg_stat_activity a on a.pid = d.job_pid and a.application_name = 'pg_cron' and a.backend_start <= d.start_time
       where d.status = 'running' and d.runid <> all ($1::bigint[])`,
      [own],
    )
    await this.#client.query(
      `update cron.job_run_details
       set status = 'failed', return_message = 'server restarted', end_time = clock_timestamp()
       where status in ('starting', 'running') and runid <> all ($1::bigint[])`,
      [own],
    )
  }

  /** Sets the start of jobs that have none, and of those that a clock set back would delay by more than a minute. */
  async initializeDueTimes(now: number): Promise<void> {
    await this.#client.query(
      `insert into cron.job_due (jobid, done_until) select jobid, to_timestamp($1 / 1000.0) from cron.job
       on conflict (jobid) do update set done_until = excluded.done_until
       where job_due.done_until > excluded.done_until + interval '1 minute'`,
      [now],
    )
  }

  /** Active jobs alone. */
  async loadActive(): Promise<JobRow[]> {
    const { rows } = await this.#client.query<JobRow>(
      `select j.jobid as id, j.schedule, (extract(epoch from d.done_until) * 1000)::float8 as "doneUntil"
       from cron.job j join cron.job_due d using (jobid) where j.active`,
    )
    return rows
  }

  /** Claims the run of a job that is due; null if another server has claimed it, or the job was deleted. */
  async claim(jobId: string, until: number, log: boolean): Promise<ClaimedRun | null> {
    const { rows } = await this.#client.query<ClaimedRun>(
      `with claimed as (
         update cron.job_due d set done_until = to_timestamp($2 / 1000.0) from cron.job j
         where d.jobid = $1 and j.jobid = d.jobid and j.active and d.done_until < to_timestamp($2 / 1000.0)
         returning j.jobid, j.database, j.username, j.command
       ), logged as (
         insert into cron.job_run_details (jobid, database, username, command, status)
         select jobid, database, username, command, 'starting' from claimed where $3
         returning runid
       )
       select jobid as "jobId", (select runid from logged) as "runId", database, username, command from claimed`,
      [jobId, until, log],
    )
    return rows[0] ?? null
  }

  async markRunning(runId: string, pid: number): Promise<void> {
    await this.#client.query(
      `update cron.job_run_details set status = 'running', job_pid = $2, start_time = clock_timestamp() where runid = $1`,
      [runId, pid],
    )
  }

  async markFinished(runId: string, { succeeded, message }: Outcome): Promise<void> {
    await this.#client.query(
      `update cron.job_run_details
       set status = $2, return_message = $3, end_time = clock_timestamp(),
         start_time = coalesce(start_time, clock_timestamp())
       where runid = $1`,
      [runId, succeeded ? 'succeeded' : 'failed', message],
    )
  }
}

/** The result of a run, as job_run_details stores it. */
export interface Outcome {
  succeeded: boolean
  message: string
}
