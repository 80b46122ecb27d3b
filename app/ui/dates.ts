import { i18n } from '@lingui/core'

const DAY = 86_400_000
const formatters = new Map<string, Intl.DateTimeFormat>()
/** Each time zone has two. */
const MAX_FORMATTERS = 1_000

/** Formats a date in the reader's language. `name` identifies the options. */
export function format(name: string, options: Intl.DateTimeFormatOptions, date: Date): string {
  const locales = i18n.locales ?? i18n.locale
  // The key includes the region: "en" alone doesn't determine the 12-hour or 24-hour clock.
  const key = `${String(locales)}:${name}`
  let formatter = formatters.get(key)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat(locales, options)
    if (formatters.size >= MAX_FORMATTERS) formatters.clear()
    formatters.set(key, formatter)
  }
  return formatter.format(date)
}

/** "09:05" or "9:05 AM", by region. */
export function formatTime(at: string): string {
  return format('time', { timeStyle: 'short' }, new Date(at))
}

/**
 * The local time in a zone of the IANA database: "09:05", or "Tue 09:05" where it is another day than here; null for a
 * zone that this browser does not know.
 */
export function formatTimeIn(timeZone: string, now: Date): string | null {
  try {
    const time = format(`time ${timeZone}`, { timeStyle: 'short', timeZone }, now)
    const day = format(`short weekday ${timeZone}`, { weekday: 'short', timeZone }, now)
    const isToday = day === format('short weekday', { weekday: 'short' }, now)
    return isToday ? time : i18n._('{day} {time}', { day, time })
  } catch {
    return null
  }
}

/** "Monday, 3 November 2025 at 09:05": for tooltips. */
export function formatDateTime(at: string): string {
  return format('moment', { dateStyle: 'full', timeStyle: 'short' }, new Date(at))
}

/** "3 November 2024": independent of today. */
export function formatDate(at: string): string {
  return format('year', { day: 'numeric', month: 'long', year: 'numeric' }, new Date(at))
}

/** "Today", "Yesterday", "Tomorrow", "Monday", "3 November", "3 November 2024": the shortest unambiguous form. */
export function formatDay(at: string, now = new Date()): string {
  const date = new Date(at)
  const ago = Math.round((midnight(now) - midnight(date)) / DAY)
  if (ago === 0) return i18n._('Today')
  if (ago === 1) return i18n._('Yesterday')
  if (ago === -1) return i18n._('Tomorrow')
  if (Math.abs(ago) < 7) return format('weekday', { weekday: 'long' }, date)
  if (date.getFullYear() === now.getFullYear())
    return format('day', { weekday: 'long', day: 'numeric', month: 'long' }, date)
  return formatDate(at)
}

/** "today 09:05", "yesterday 09:05", "tomorrow 09:05", "Monday 09:05", "3 November 2024 09:05": for use in a sentence. */
export function formatDayAndTime(at: string, now = new Date()): string {
  const time = formatTime(at)
  if (isSameDay(at, now.toISOString())) return i18n._('today {time}', { time })
  if (isSameDay(at, new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1).toISOString()))
    return i18n._('yesterday {time}', { time })
  if (isSameDay(at, new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1).toISOString()))
    return i18n._('tomorrow {time}', { time })
  return i18n._('{day} {time}', { day: formatDay(at, now), time })
}

/** Whether two times are on the same local day. */
export function isSameDay(a: string, b: string): boolean {
  return midnight(new Date(a)) === midnight(new Date(b))
}

function midnight(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
}
