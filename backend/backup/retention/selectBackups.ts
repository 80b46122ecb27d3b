/** How many backups are kept in addition to the ones of the last 24 hours. */
export interface Retention {
  /** The newest backup of each of so many days that have backups. */
  days: number
  weeks: number
  months: number
}

export const defaultRetention: Retention = { days: 7, weeks: 4, months: 6 }

const dayMs = 24 * 60 * 60 * 1000
/** Backups of the last 24 hours that are kept: as many as a timer makes that runs `linnet backup` every hour. */
const maxRecent = 24

/** The Monday of the week of a time, in UTC. */
function weekOf(time: Date): string {
  const monday = new Date(time)
  monday.setUTCDate(monday.getUTCDate() - ((monday.getUTCDay() + 6) % 7))
  return monday.toISOString().slice(0, 10)
}

/** The newest backup of each of the last `count` periods that have backups. */
function newestPerPeriod<T extends { startedAt: string }>(
  newestFirst: readonly T[],
  count: number,
  periodOf: (time: Date) => string,
): T[] {
  const newest = new Map<string, T>()
  for (const backup of newestFirst) {
    const period = periodOf(new Date(backup.startedAt))
    if (!newest.has(period) && newest.size < count) newest.set(period, backup)
  }
  return [...newest.values()]
}

/**
 * The backups to keep: all of the last 24 hours up to `maxRecent`, and the newest of each period. Periods without a backup do
 * not count, so backups that stop do not make old ones disappear. The newest backup is always kept.
 * @param backups in the order in which they were made, as listBackups returns them. The clock may have been wrong meanwhile.
 * @returns `kept`, and `daily` among them, the newest first, for which the log is kept too
 */
export function selectBackups<T extends { startedAt: string }>(
  backups: readonly T[],
  { days, weeks, months }: Retention,
  now: Date,
): { kept: Set<T>; daily: T[] } {
  const newestFirst = backups.toReversed()
  // A backup that is dated in the future would else be kept, with the log since then, until that day.
  const recent = newestFirst.filter(
    ({ startedAt }) => Math.abs(now.getTime() - Date.parse(startedAt)) < dayMs,
  )
  const perDay = newestPerPeriod(newestFirst, days, (time) => time.toISOString().slice(0, 10))
  const isDaily = new Set([...newestFirst.slice(0, 1), ...recent.slice(0, maxRecent), ...perDay])
  const weekly = newestPerPeriod(newestFirst, weeks, weekOf)
  const monthly = newestPerPeriod(newestFirst, months, (time) => time.toISOString().slice(0, 7))
  return {
    kept: new Set([...isDaily, ...weekly, ...monthly]),
    daily: newestFirst.filter((backup) => isDaily.has(backup)),
  }
}
