/** The time at which presets begin a day. */
export const MORNING = 9

/** The local time on the day that is this number of days after `now`. */
export function atHour(days: number, hour = MORNING, now = new Date()): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour)
}

/** The next day of the week (0: Sunday), never today. */
export function nextWeekday(weekday: number, now = new Date()): Date {
  return atHour(((weekday - now.getDay() + 6) % 7) + 1, MORNING, now)
}

/** A time as the value of a field of type `datetime-local`. */
export function formatTimeField(date: Date): string {
  const pad = (part: number, length = 2) => String(part).padStart(length, '0')
  const day = [pad(date.getFullYear(), 4), pad(date.getMonth() + 1), pad(date.getDate())].join('-')
  return `${day}T${pad(date.getHours())}:${pad(date.getMinutes())}`
}

/** The value of a field of type `datetime-local`, by the local clock; null without one. */
export function parseTimeField(value: string): Date | null {
  const date = new Date(value)
  return value === '' || Number.isNaN(date.getTime()) ? null : date
}
