import type { DatabaseReader } from '../readDatabase.ts'

export interface Run {
  job: string
  status: string
  message: string | null
  startedAt: Date | null
  endedAt: Date | null
}

export interface Job {
  id: string
  name: string | null
  schedule: string
  command: string
  username: string
  active: boolean
  /** Of the last run; null if there is none. */
  status: string | null
  message: string | null
  startedAt: Date | null
}

const isCronInstalled = async (database: DatabaseReader): Promise<boolean> => {
  const [row] = await database.read<{ there: boolean }>(
    `select to_regclass('cron.job') is not null and to_regclass('cron.job_run_details') is not null as there`,
  )
  return row!.there
}

/** The jobs of pg_cron, each with its last run; null if the extension is not installed. Throws ReadError. */
export async function readJobs(database: DatabaseReader): Promise<Job[] | null> {
  if (!(await isCronInstalled(database))) return null
  return database.read<Job & Record<string, unknown>>(
    `select j.jobid::text as id, j.jobname as name, j.schedule, left(j.command, 2000) as command, j.username,
       j.active, r.status, left(r.return_message, 500) as message, r.start_time as "startedAt"
     from cron.job j
     left join lateral (
       select * from cron.job_run_details d where d.jobid = j.jobid order by d.runid desc limit 1) r on true
     order by j.jobid limit 200`,
  )
}

/** The last 50 runs of all jobs. Throws ReadError. */
export async function readRuns(database: DatabaseReader): Promise<Run[]> {
  if (!(await isCronInstalled(database))) return []
  return database.read<Run & Record<string, unknown>>(
    `select coalesce(j.jobname, d.jobid::text) as job, d.status, left(d.return_message, 500) as message,
       d.start_time as "startedAt", d.end_time as "endedAt"
     from cron.job_run_details d left join cron.job j on j.jobid = d.jobid
     order by d.runid desc limit 50`,
  )
}

/** A request of pg_net. */
export interface HttpRequest {
  id: string
  status: number | null
  /** Why there was no response. */
  error: string | null
  at: Date | null
}

/** The last 30 responses that pg_net stores, without content; null if the extension is not installed. Throws ReadError. */
export async function readHttpRequests(database: DatabaseReader): Promise<HttpRequest[] | null> {
  const [row] = await database.read<{ there: boolean }>(
    `select to_regclass('net._http_response') is not null as there`,
  )
  if (!row!.there) return null
  return database.read<HttpRequest & Record<string, unknown>>(
    `select id::text, status_code as status, created as at,
       case when timed_out then 'timed out' else left(error_msg, 500) end as error
     from net._http_response order by created desc limit 30`,
  )
}
