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
  /** Of its last run; null where it has not run yet. */
  status: string | null
  message: string | null
  startedAt: Date | null
}

const isThere = async (database: DatabaseReader): Promise<boolean> => {
  const [known] = await database.read<{ there: boolean }>(
    `select to_regclass('cron.job') is not null and to_regclass('cron.job_run_details') is not null as there`,
  )
  return known!.there
}

/** The jobs of pg_cron, each with its last run; null where the extension isn't there. Throws Unread. */
export async function readJobs(database: DatabaseReader): Promise<Job[] | null> {
  if (!(await isThere(database))) return null
  return database.read<Job & Record<string, unknown>>(
    `select j.jobid::text as id, j.jobname as name, j.schedule, left(j.command, 2000) as command, j.username,
       j.active, r.status, left(r.return_message, 500) as message, r.start_time as "startedAt"
     from cron.job j
     left join lateral (
       select * from cron.job_run_details d where d.jobid = j.jobid order by d.runid desc limit 1) r on true
     order by j.jobid limit 200`,
  )
}

/** The last 50 runs of all jobs. Throws Unread. */
export async function readRuns(database: DatabaseReader): Promise<Run[]> {
  if (!(await isThere(database))) return []
  return database.read<Run & Record<string, unknown>>(
    `select coalesce(j.jobname, d.jobid::text) as job, d.status, left(d.return_message, 500) as message,
       d.start_time as "startedAt", d.end_time as "endedAt"
     from cron.job_run_details d left join cron.job j on j.jobid = d.jobid
     order by d.runid desc limit 50`,
  )
}

/** A request that the database sent by pg_net. */
export interface Call {
  id: string
  status: number | null
  /** Why there was no answer. */
  error: string | null
  at: Date | null
}

/** The last 30 answers that pg_net keeps, without their contents; null where the extension isn't there. Throws Unread. */
export async function readCalls(database: DatabaseReader): Promise<Call[] | null> {
  const [known] = await database.read<{ there: boolean }>(
    `select to_regclass('net._http_response') is not null as there`,
  )
  if (!known!.there) return null
  return database.read<Call & Record<string, unknown>>(
    `select id::text, status_code as status, created as at,
       case when timed_out then 'timed out' else left(error_msg, 500) end as error
     from net._http_response order by created desc limit 30`,
  )
}
