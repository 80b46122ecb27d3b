/** The local start of the day that is this number of days and months before `now`. */
export function startOfDayAgo(days: number, months = 0, now = new Date()): Date {
  const firstOfMonth = new Date(now.getFullYear(), now.getMonth() - months, 1)
  const lastDay = new Date(firstOfMonth.getFullYear(), firstOfMonth.getMonth() + 1, 0).getDate()
  firstOfMonth.setDate(Math.min(now.getDate(), lastDay) - days)
  return firstOfMonth
}

/** The local start of a day written as in "2026-11-03", the value of a date field; null if it is none. */
export function parseDay(text: string): Date | null {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  const date = new Date(Number(year), Number(month) - 1, Number(day))
  // The constructor turns 30 February into 2 March, and years below 100 into those of the last century.
  return date.getDate() === Number(day) && date.getFullYear() === Number(year) ? date : null
}

/** The day as the value of a date field. */
export function formatDayField(date: Date): string {
  const pad = (part: number, length = 2) => String(part).padStart(length, '0')
  return `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
}
