/** Between two attempts after a failure. */
const retryAfterMs = 60 * 60 * 1000

/** The last time of day at or before `now`, in local time. */
function lastOccurrence(now: Date, minuteOfDay: number): Date {
  const at = new Date(now)
  at.setHours(Math.floor(minuteOfDay / 60), minuteOfDay % 60, 0, 0)
  if (at > now) at.setDate(at.getDate() - 1)
  return at
}

/**
 * Whether the daily backup is due: its time of day has passed since the last one, also while the server was stopped.
 * After a failure it waits an hour. A time in the future counts as never, because the clock was wrong.
 * @param o.lastAt when the last backup succeeded; null: never
 * @param o.failedAt when the last attempt failed, if it did after that
 */
export function isBackupDue(o: {
  now: Date
  atMinute: number
  lastAt: Date | null
  failedAt: Date | null
}): boolean {
  const { now, lastAt, failedAt } = o
  if (failedAt !== null && failedAt <= now && now.getTime() - failedAt.getTime() < retryAfterMs) return false
  return lastAt === null || lastAt > now || lastAt < lastOccurrence(now, o.atMinute)
}
