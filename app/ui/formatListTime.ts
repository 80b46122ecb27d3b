import { format, formatDay, formatTime, isSameDay } from './dates.ts'

/** "09:05" of today, "Yesterday", "Mon", "3 Nov", "3 Nov 2024": the time of a row of a list, beside other content. */
export function formatListTime(at: string, now = new Date()): string {
  if (isSameDay(at, now.toISOString())) return formatTime(at)
  const date = new Date(at)
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1)
  if (isSameDay(at, yesterday.toISOString())) return formatDay(at, now)
  const lastWeek = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 6)
  if (date >= lastWeek && date < now) return format('short weekday', { weekday: 'short' }, date)
  const year = date.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const)
  return format(`short day ${'year' in year}`, { day: 'numeric', month: 'short', ...year }, date)
}
