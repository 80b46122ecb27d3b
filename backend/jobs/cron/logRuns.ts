import type { Logger } from '../../logging/logger.ts'

/** A run that starts later than this is logged as late, in milliseconds. */
export const lateRunMs = 60_000

/** The result of a run, for the log. */
interface EndedRun {
  jobId: string
  runId: string | null
  succeeded: boolean
  /** When it was due, and by how much later it started; milliseconds. */
  due: number
  delayMs: number
}

/**
 * Logs runs that failed or were late. A job that fails each second would flood the log: of failures in a row the 1st,
 * 10th, 100th … is logged, and then the next success. The command and its error may contain personal data and stay in
 * cron.job_run_details.
 */
export function createRunLogger(log: Logger): (run: EndedRun) => void {
  /** Failures in a row by job. A deleted job leaves one entry. */
  const failing = new Map<string, number>()
  return ({ jobId, runId, succeeded, due, delayMs }) => {
    const late = delayMs > lateRunMs && {
      due: new Date(due).toISOString(),
      lateSeconds: Math.round(delayMs / 1000),
    }
    const fields = { job: jobId, run: runId, ...late }
    const failures = failing.get(jobId) ?? 0
    if (succeeded) {
      if (failures > 0) log.info('cron.job_recovered', { ...fields, failures })
      else if (late) log.info('cron.run_late', fields)
      failing.delete(jobId)
      return
    }
    failing.set(jobId, failures + 1)
    if (!/^10*$/.test(String(failures + 1))) return
    log.warn('cron.run_failed', {
      ...fields,
      ...(failures > 0 && { failures: failures + 1 }),
      details: 'select * from cron.job_run_details',
    })
  }
}
