/** How many backups are kept. */
export interface Retention {
  /** The newest backup of each of so many days that have backups. */
  days: number
  weeks: number
  months: number
}

export const defaultRetention: Retention = { days: 7, weeks: 4, months: 6 }

/** The Monday of the week of a time, in UTC. */
function weekOf(time: Date): string {
  const monday = new Date(time)
  monday.setUTCDate(monday.getUTCDate() - ((monday.getUTCDay() + 6) % 7))
  return monday.toISOString().slice(0, 10)
}

/** The ids of the newest backup of each of the last `count` periods that have backups. */
function newestPerPeriod<T extends { startedAt: string }>(
  backups: readonly T[],
  count: number,
  periodOf: (time: Date) => string,
): T[] {
  const newest = new Map<string, T>()
  for (const backup of [...backups].sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1))) {
    const period = periodOf(new Date(backup.startedAt))
    if (!newest.has(period) && newest.size < count) newest.set(period, backup)
  }
  return [...newest.values()]
}

/**
 * The backups to keep. Periods without a backup do not count, so backups that stop do not make old ones disappear. The
 * newest backup is always kept.
 * @returns `kept`, and `daily` among them, for which the log is kept too
 */
export function selectBackups<T extends { startedAt: string }>(
  backups: readonly T[],
  { days, weeks, months }: Retention,
): { kept: Set<T>; daily: T[] } {
  const daily = newestPerPeriod(backups, Math.max(1, days), (time) => time.toISOString().slice(0, 10))
  const weekly = newestPerPeriod(backups, weeks, weekOf)
  const monthly = newestPerPeriod(backups, months, (time) => time.toISOString().slice(0, 7))
  return { kept: new Set([...daily, ...weekly, ...monthly]), daily }
}
