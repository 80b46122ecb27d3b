/** A schedule by the clock: a minute belongs to it if its fields do. Arrays are indexed by the values of the fields. */
export interface CalendarSchedule {
  kind: 'calendar'
  minutes: boolean[]
  hours: boolean[]
  /** From 1. */
  days: boolean[]
  /** `$`: the last day of the month. */
  lastDay: boolean
  /** From 1. */
  months: boolean[]
  /** Sunday is 0. */
  weekdays: boolean[]
  /** Day of month and day of week must both match (one of them began with a star); otherwise one of them suffices. */
  bothDays: boolean
  /** Minutes or hours began with a star: it is due at each minute that the clock shows rather than at times of day. */
  followsClock: boolean
}

export type Schedule =
  | CalendarSchedule
  /** At an interval of seconds. */
  | { kind: 'interval'; seconds: number }
  /** Once after each start of PostgreSQL. */
  | { kind: 'restart' }

interface Field {
  low: number
  high: number
  names: readonly string[]
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const fields = {
  minute: { low: 0, high: 59, names: [] },
  hour: { low: 0, high: 23, names: [] },
  day: { low: 1, high: 31, names: [] },
  month: { low: 1, high: 12, names: monthNames },
  weekday: { low: 0, high: 7, names: dayNames },
} satisfies Record<string, Field>

/** As five fields. pg_cron sets no month for `@yearly`, which therefore never runs there. */
const shorthands: Record<string, string> = {
  yearly: '0 0 1 1 *',
  annually: '0 0 1 1 *',
  monthly: '0 0 1 * *',
  weekly: '0 0 * * 0',
  daily: '0 0 * * *',
  midnight: '0 0 * * *',
  hourly: '0 * * * *',
}

/**
 * Parses what pg_cron accepts as a schedule (its src/entry.c and TryParseInterval): five fields with lists, ranges,
 * steps of ranges, names and `$`; shorthands such as `@daily`; `1 second` to `59 seconds`. As there, comment lines may
 * precede, text may follow, and characters after a complete list item up to the next blank are ignored. Null for any
 * other text.
 */
export function parseSchedule(text: string): Schedule | null {
  return parseEntry(text) ?? parseInterval(text)
}

function parseInterval(text: string): Schedule | null {
  const found = /^[ \t-\r]*\+?0*([1-9]|[1-5]\d)[ \t-\r]*second(?:s[ \t-\r]*)?$/i.exec(text)
  return found && { kind: 'interval', seconds: Number(found[1]) }
}

function parseEntry(text: string): Schedule | null {
  if (Buffer.byteLength(text) >= 1000) return null
  const line = text.replace(/^(?:[ \t]*(?:#[^\n]*)?\n)+/, '').replace(/^[ \t]+/, '')
  if (!line.startsWith('@')) return parseFields(line)
  const word = /^@([^ \t\n]*)/.exec(line)![1]!
  if (word === 'reboot' || word === 'restart') return { kind: 'restart' }
  const expanded = Object.hasOwn(shorthands, word) ? shorthands[word] : undefined
  return expanded === undefined ? null : parseFields(expanded)
}

function parseFields(line: string): CalendarSchedule | null {
  const words = /^([^ \t\n]+)[ \t]+([^ \t\n]+)[ \t]+([^ \t\n]+)[ \t]+([^ \t\n]+)[ \t]+([^ \t\n]+)/.exec(line)
  if (!words) return null
  const [, minute, hour, day, month, weekday] = words as unknown as string[]
  const lastDay = day === '$'
  const minutes = parseList(minute!, fields.minute)
  const hours = parseList(hour!, fields.hour)
  const days = lastDay ? [] : parseList(day!, fields.day)
  const months = parseList(month!, fields.month)
  const weekdays = parseList(weekday!, fields.weekday)
  if (!minutes || !hours || !days || !months || !weekdays) return null
  if (weekdays[7]) weekdays[0] = true
  return {
    kind: 'calendar',
    minutes,
    hours,
    days,
    lastDay,
    months,
    weekdays,
    bothDays: day!.startsWith('*') || weekday!.startsWith('*'),
    followsClock: minute!.startsWith('*') || hour!.startsWith('*'),
  }
}

/** Items between commas. Null if one is invalid; text after the last one is ignored, as in pg_cron. */
function parseList(word: string, field: Field): boolean[] | null {
  const selected: boolean[] = []
  let at = 0
  do {
    const end = parseItem(word, at, field, selected)
    if (end === null) return null
    at = end + 1
  } while (word[at - 1] === ',')
  return selected
}

/** One `*`, number or range; `*` and ranges may have a step. Returns where it ends. */
function parseItem(word: string, from: number, field: Field, selected: boolean[]): number | null {
  let at = from
  const number = (names: readonly string[], low: number): number => {
    const [digits] = /^[0-9a-z]*/i.exec(word.slice(at))!
    at += digits.length
    const named = names.indexOf(digits.toLowerCase())
    if (named >= 0) return named + low
    return /^\d+$/.test(digits) ? Number(digits) : Number.NaN
  }
  const isWithin = (value: number): boolean => value >= field.low && value <= field.high

  let first = field.low
  let last = field.high
  if (word[at] === '*') {
    at++
  } else {
    first = number(field.names, field.low)
    if (!isWithin(first)) return null
    if (word[at] !== '-') {
      selected[first] = true
      // A step belongs to a range.
      return word[at] === '/' ? null : at
    }
    at++
    last = number(field.names, field.low)
    if (!isWithin(last)) return null
  }
  let step = 1
  if (word[at] === '/') {
    at++
    step = number([], 0)
    if (!(step > 0 && step <= field.high)) return null
  }
  if (first > last && step === 1) selectWrappedRange(selected, first, last, field.low)
  for (let value = first; value <= last; value += step) selected[value] = true
  return at
}

/**
 * A range whose end is before its start. pg_cron then sets bits of whole bytes, so that `22-2` wraps around midnight
 * while `5-1` is empty; schedules that were written for pg_cron must run at the same times here.
 */
function selectWrappedRange(selected: boolean[], first: number, last: number, low: number): void {
  const start = first - low
  const stop = last - low
  if (start >> 3 === stop >> 3) return
  for (let bit = start; bit <= (start | 7); bit++) selected[bit + low] = true
  for (let bit = stop & ~7; bit <= stop; bit++) selected[bit + low] = true
}
