import type { Logger } from '../../logging/log.ts'

/** A run later than this says so, in milliseconds. */
export const tellDelayMs = 60_000

/** How a run ended, for the log. */
interface EndedRun {
  jobId: string
  runId: string | null
  succeeded: boolean
  /** When it was due, and by how much it began later; milliseconds. */
  due: number
  delayMs: number
}

/**
 * Tells the log of runs that failed or were late. A job that fails each second would drown all else: of failures in a
 * row the 1st, 10th, 100th … is told, and then that it succeeds again. The command and its error hold what people
 * wrote, and stay in cron.job_run_details.
 */
export function tellRuns(log: Logger): (run: EndedRun) => void {
  /** Failures in a row. A job that is deleted meanwhile leaves one number. */
  const failing = new Map<string, number>()
  return ({ jobId, runId, succeeded, due, delayMs }) => {
    const late = delayMs > tellDelayMs && {
      due: new Date(due).toISOString(),
      late_s: Math.round(delayMs / 1000),
    }
    const fields = { job: jobId, run: runId, ...late }
    const failures = failing.get(jobId) ?? 0
    if (succeeded) {
      if (failures > 0) log.info('cron job succeeds again', { ...fields, failures })
      else if (late) log.info('cron run was late', fields)
      failing.delete(jobId)
      return
    }
    failing.set(jobId, failures + 1)
    if (!/^10*$/.test(String(failures + 1))) return
    log.warn('cron run failed', {
      ...fields,
      ...(failures > 0 && { failures: failures + 1 }),
      why: 'select * from cron.job_run_details',
    })
  }
}
