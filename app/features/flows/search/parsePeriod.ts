import { startOfDayAgo } from '../../parts/times/localDay.ts'
import { foldText } from '../../parts/matching/matchNames.ts'

/** Whole days in the reader's time zone: from `start`, included, to `end`, excluded. */
export interface Period {
  start: Date
  end: Date
}

export interface CalendarContext {
  now: Date
  /** Whether 3/4 is the third of April. */
  isDayFirst: boolean
  /** First day of a week as of `Date.getDay`: 0 is Sunday. */
  firstWeekday: number
}

const TODAY = new Set(['today', 'heute'])
/** English and German; the first three letters are enough, of German names of days the first two. */
const WEEKDAYS = [
  ['sunday', 'sonntag'],
  ['monday', 'montag'],
  ['tuesday', 'dienstag'],
  ['wednesday', 'mittwoch'],
  ['thursday', 'donnerstag'],
  ['friday', 'freitag'],
  ['saturday', 'samstag', 'sonnabend'],
]
const MONTHS = [
  ['january', 'januar'],
  ['february', 'februar'],
  ['march', 'marz', 'maerz'],
  ['april'],
  ['may', 'mai'],
  ['june', 'juni'],
  ['july', 'juli'],
  ['august'],
  ['september'],
  ['october', 'oktober'],
  ['november'],
  ['december', 'dezember'],
]
const DAYS_AGO: Record<string, number> = { yesterday: 1, gestern: 1, vorgestern: 2 }
const UNITS: Record<string, Unit> = {
  day: 'day',
  days: 'day',
  tag: 'day',
  tage: 'day',
  week: 'week',
  weeks: 'week',
  woche: 'week',
  wochen: 'week',
  month: 'month',
  months: 'month',
  monat: 'month',
  monate: 'month',
  year: 'year',
  years: 'year',
  jahr: 'year',
  jahre: 'year',
}
type Unit = 'day' | 'week' | 'month' | 'year'

const EARLIEST_YEAR = 1970
const LATEST_YEAR = 2999
/** Of "last 30 days". */
const MAX_COUNT = 999

/**
 * The period that a person means, in English or German: "today", "monday" (the latest one), "march", "march 2026",
 * "last week", "last 30 days", "2026", "2026-03", "2026-03-09", "9.3.", "9.3.2026", "3/9/2026". Null for anything else.
 */
export function parsePeriod(value: string, context: CalendarContext): Period | null {
  const text = foldText(value).trim()
  return parseNumbers(text, context) ?? parseNames(text.replaceAll(/[\s_-]+/g, ' '), context)
}

function parseNumbers(text: string, { now, isDayFirst }: CalendarContext): Period | null {
  const iso = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/.exec(text)
  if (iso) return periodOf(iso[1], iso[2], iso[3], now)
  const dotted = /^(\d{1,2})\.(\d{1,2})\.?(\d{4}|\d{2})?$/.exec(text)
  if (dotted) return periodOf(dotted[3], dotted[2], dotted[1], now)
  const month = /^(\d{1,2})[/.](\d{4})$/.exec(text)
  if (month) return periodOf(month[2], month[1], undefined, now)
  const slashed = /^(\d{1,2})\/(\d{1,2})(?:\/(\d{4}|\d{2}))?$/.exec(text)
  if (!slashed) return null
  const [, first, second, year] = slashed
  return isDayFirst ? periodOf(year, second, first, now) : periodOf(year, first, second, now)
}

function parseNames(text: string, context: CalendarContext): Period | null {
  const { now } = context
  if (TODAY.has(text)) return units('day', 0, 1, context)
  const daysAgo = DAYS_AGO[text]
  if (daysAgo !== undefined) return units('day', daysAgo, 1, context)
  const weekday = indexOfName(WEEKDAYS, text)
  if (weekday >= 0) return units('day', (now.getDay() - weekday + 7) % 7, 1, context)
  const [, monthName = '', year] = /^(\p{L}+)\.?(?: (\d{4}))?$/u.exec(text) ?? []
  const month = indexOfName(MONTHS, monthName)
  if (month >= 0) {
    // Without a year the latest that has begun.
    const latest = now.getFullYear() - (month > now.getMonth() ? 1 : 0)
    return periodOf(year ?? String(latest), String(month + 1), undefined, now)
  }
  const [, which = '', count, unitName = ''] =
    /^(this|last|previous|past|diese[nrs]?|letzte[nrs]?|vorige[nrs]?) (?:(\d{1,3}) )?(\p{L}+)$/u.exec(text) ??
    []
  const unit = UNITS[unitName]
  if (!unit) return null
  if (count === undefined) return units(unit, /^(?:this|diese)/.test(which) ? 0 : 1, 1, context)
  // "Last 7 days" ends with today.
  const amount = Number(count)
  return amount > 0 && amount <= MAX_COUNT ? lastDays(unit, amount, now) : null
}

function indexOfName(names: readonly string[][], text: string): number {
  return names.findIndex((all) =>
    all.some((name) => name === text || (text.length >= 3 && text.length <= 4 && name.startsWith(text))),
  )
}

/** A year, a month of it, or a day of that; null if there is no such day. Without a year it is the current one. */
function periodOf(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
  now: Date,
): Period | null {
  const y = year === undefined ? now.getFullYear() : Number(year.length === 2 ? `20${year}` : year)
  const m = month === undefined ? 0 : Number(month) - 1
  const d = day === undefined ? 1 : Number(day)
  const start = new Date(y, m, d)
  const exists = start.getFullYear() === y && start.getMonth() === m && start.getDate() === d
  if (!exists || y < EARLIEST_YEAR || y > LATEST_YEAR) return null
  if (month === undefined) return { start, end: new Date(y + 1, 0, 1) }
  return { start, end: day === undefined ? new Date(y, m + 1, 1) : new Date(y, m, d + 1) }
}

/** `count` whole days, weeks, months or years, of which the first began `ago` before the current one. */
function units(unit: Unit, ago: number, count: number, { now, firstWeekday }: CalendarContext): Period {
  const y = now.getFullYear()
  const m = now.getMonth()
  const d = now.getDate()
  const at = (index: number): Date => {
    if (unit === 'year') return new Date(y + index, 0, 1)
    if (unit === 'month') return new Date(y, m + index, 1)
    if (unit === 'day') return new Date(y, m, d + index)
    return new Date(y, m, d - ((now.getDay() - firstWeekday + 7) % 7) + 7 * index)
  }
  return { start: at(-ago), end: at(count - ago) }
}

/** Up to the end of today: as many days as `count` units have. */
function lastDays(unit: Unit, count: number, now: Date): Period {
  const y = now.getFullYear()
  const m = now.getMonth()
  const end = new Date(y, m, now.getDate() + 1)
  const start = new Date(end)
  if (unit === 'day') start.setDate(end.getDate() - count)
  else if (unit === 'week') start.setDate(end.getDate() - 7 * count)
  // From the day after the same day of that month, or after its last day if it is shorter.
  else return { start: startOfDayAgo(-1, unit === 'month' ? count : 12 * count, now), end }
  return { start, end }
}
