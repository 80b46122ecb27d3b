import { nextDue } from './nextDue.ts'
import type { TimeZone } from './openTimeZone.ts'
import type { Schedule } from './parseSchedule.ts'

/**
 * When a job is due next; Infinity if it never is.
 * @param doneUntil due times up to here have been handled; all in milliseconds since 1970
 * @param startedAt when PostgreSQL started: what `@reboot` waits for
 */
export function nextRun(schedule: Schedule, doneUntil: number, zone: TimeZone, startedAt: number): number {
  if (schedule.kind === 'interval') return doneUntil + schedule.seconds * 1000
  if (schedule.kind === 'restart') return startedAt > doneUntil ? startedAt : Infinity
  return nextDue(schedule, doneUntil, zone) ?? Infinity
}

/**
 * The due time up to which a run that starts now handles a job. Each due time has a run of its own, however late it
 * starts; but times that were missed while the scheduler was not running share one run, and intervals are skipped.
 */
export function coveredUntil(schedule: Schedule, due: number, now: number, wasMissed: boolean): number {
  if (schedule.kind !== 'interval') return wasMissed ? Math.max(due, now) : due
  const step = schedule.seconds * 1000
  return due + Math.max(0, Math.floor((now - due) / step)) * step
}
