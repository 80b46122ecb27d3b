import { BackupError } from '../backup/BackupError.ts'

const pattern =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,6}))?)?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?$/i

/**
 * Parses the value of `--at`: a date and a time, such as `2026-11-30 14:05:33.25`, in the time zone of this machine unless it
 * names another: `2026-11-30T14:05:33Z`, `2026-11-30 14:05 +01:00`. Also parses what renderMoment returns. Throws BackupError.
 */
export function parseMoment(text: string): Date {
  const rendered = /\(UTC(\S*)\)$/
  const match = pattern.exec(text.trim().replace(rendered, (_, offset: string) => offset || 'Z'))
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = ''] =
    match ?? []
  const ms = fraction.slice(0, 3).padEnd(3, '0')
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}`
  const found = new Date(`${local}${normaliseZone(zone)}`)
  // JavaScript accepts 30 February as 2 March.
  const isDay = match !== null && new Date(`${year}-${month}-${day}T00:00:00Z`).getUTCDate() === Number(day)
  if (!isDay || Number.isNaN(found.getTime()))
    throw new BackupError(
      `"${text}" is not a time. Write a date and a time, such as "2026-11-30 14:05:33" (in the time zone of this machine) ` +
        'or "2026-11-30T14:05:33Z".',
    )
  return found
}

/** `+01`, `+0100` and `z` as Date accepts them. */
function normaliseZone(zone: string): string {
  if (zone === '' || /^z$/i.test(zone)) return zone.toUpperCase()
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0')
  return `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`
}

/** A moment in a time zone, by default the one of this machine: `2026-11-30 14:05:33.250 (UTC+01:00)`. */
export function renderMoment(moment: Date, timeZone?: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    ...(timeZone === undefined ? {} : { timeZone }),
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  }).formatToParts(moment)
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.find((one) => one.type === type)!.value
  const offset = part('timeZoneName').replace('GMT', 'UTC')
  return (
    `${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}:${part('second')}` +
    `.${part('fractionalSecond')} (${offset})`
  )
}
