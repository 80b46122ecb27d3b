import { nextDue } from './nextDue.ts'
import type { Zone } from './openZone.ts'
import type { Schedule } from './parseSchedule.ts'

/**
 * When a job is due next; Infinity where it never is.
 * @param doneUntil its runs are seen to up to here; all in milliseconds since 1970
 * @param startedAt when PostgreSQL started: what `@reboot` waits for
 */
export function nextRun(schedule: Schedule, doneUntil: number, zone: Zone, startedAt: number): number {
  if (schedule.kind === 'interval') return doneUntil + schedule.seconds * 1000
  if (schedule.kind === 'restart') return startedAt > doneUntil ? startedAt : Infinity
  return nextDue(schedule, doneUntil, zone) ?? Infinity
}

/**
 * Up to where a run that begins now sees to a job. Each due time has a run of its own, however late the one before
 * lets it begin; but what was missed while nobody looked is one run, and an interval counts from now on, in step.
 */
export function coveredBy(schedule: Schedule, due: number, now: number, wasMissed: boolean): number {
  if (schedule.kind !== 'interval') return wasMissed ? Math.max(due, now) : due
  const step = schedule.seconds * 1000
  return due + Math.max(0, Math.floor((now - due) / step)) * step
}
