import type { TimeZone, ZoneOffsets } from './openTimeZone.ts'
import type { CalendarSchedule, Schedule } from './parseSchedule.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
/** February 29 on a given weekday is at most 40 years off. */
const horizonDays = 41 * 366

/**
 * The first minute after an instant at which a schedule is due; null if there is none (February 30).
 *
 * When clocks change, as in Vixie cron: a schedule whose minutes or hours begin with a star is due at each minute that
 * the clock shows, twice if it shows it twice; one that names times of day is due once for each of them: at the first
 * of two, and at the time of the change if that time of day is skipped.
 *
 * @param after milliseconds since 1970
 */
export function nextDue(schedule: CalendarSchedule, after: number, zone: TimeZone): number | null {
  const local = after + zone.offsetAt(after)
  // From the day before: a change of clocks may have moved its due times here.
  const start = Math.floor(local / dayMs) * dayMs - dayMs
  for (let day = start; day < start + horizonDays * dayMs; day += dayMs) {
    if (!fitsDay(schedule, day)) continue
    const offsets = zone.offsetsAround(day)
    if (offsets.before === offsets.after) {
      const first = firstOfDay(schedule, day - offsets.before, after)
      if (first !== null) return first
    } else {
      // Clocks set back across midnight show the end of one day after the beginning of the next.
      const next = day + dayMs
      const instants = [
        ...instantsOfDay(schedule, day, offsets),
        ...(fitsDay(schedule, next) ? instantsOfDay(schedule, next, offsets) : []),
      ].filter((instant) => instant > after)
      if (instants.length > 0) return Math.min(...instants)
    }
  }
  return null
}

/** @param day midnight, as if in UTC */
function fitsDay(schedule: CalendarSchedule, day: number): boolean {
  const date = new Date(day)
  if (!schedule.months[date.getUTCMonth() + 1]) return false
  const isLast = schedule.lastDay && new Date(day + dayMs).getUTCDate() === 1
  const byDay = isLast || schedule.days[date.getUTCDate()] === true
  const byWeekday = schedule.weekdays[date.getUTCDay()] === true
  return schedule.bothDays ? byDay && byWeekday : byDay || byWeekday
}

/** Minutes of a day that a schedule names, from 0. */
function* minutesOf(schedule: CalendarSchedule): Generator<number> {
  for (let hour = 0; hour < 24; hour++) {
    if (!schedule.hours[hour]) continue
    for (let minute = 0; minute < 60; minute++) {
      if (schedule.minutes[minute]) yield hour * 60 + minute
    }
  }
}

function firstOfDay(schedule: CalendarSchedule, midnight: number, after: number): number | null {
  if (midnight + dayMs <= after) return null
  for (const minute of minutesOf(schedule)) {
    const instant = midnight + minute * minuteMs
    if (instant > after) return instant
  }
  return null
}

function instantsOfDay(schedule: CalendarSchedule, day: number, offsets: ZoneOffsets): number[] {
  const instants: number[] = []
  for (const minute of minutesOf(schedule)) {
    const shown = day + minute * minuteMs
    const first = shown - offsets.before
    const second = shown - offsets.after
    const isBefore = first < offsets.at
    if (isBefore) instants.push(first)
    if (second >= offsets.at && !(isBefore && !schedule.followsClock)) instants.push(second)
    if (!isBefore && second < offsets.at && !schedule.followsClock) instants.push(offsets.at)
  }
  return instants
}

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
