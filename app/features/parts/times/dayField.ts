/** "2026-11-24" in the user's time zone, for a date field. */
export function dayOf(date: Date): string {
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((number) => String(number).padStart(2, '0'))
    .join('-')
}

/** The start of a day in the user's time zone; null for an empty field. */
export function startOfDay(day: string): string | null {
  return day ? new Date(`${day}T00:00:00`).toISOString() : null
}

/** The end of a day in the user's time zone; null for an empty field. */
export function endOfDay(day: string): string | null {
  return day ? new Date(`${day}T23:59:59`).toISOString() : null
}
