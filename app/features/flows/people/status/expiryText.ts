import { i18n } from '@lingui/core'
import { formatDay, isSameDay, formatTime } from '../../../../ui/dates.ts'

/** "until 15:00", "until tomorrow, 09:00", "until Sunday" for the end of a day; empty without an expiry. */
export function expiryText(at: string | null, now = new Date()): string {
  if (at === null) return ''
  const moment = new Date(at)
  const midnight = moment.getHours() === 0 && moment.getMinutes() === 0
  // Midnight counts as the end of the previous day.
  const last = midnight ? new Date(moment.getTime() - 1).toISOString() : at
  const time = formatTime(at)
  if (isSameDay(last, now.toISOString()))
    return midnight ? i18n._('until midnight') : i18n._('until {time}', { time })
  if (isSameDay(last, new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1).toISOString()))
    return midnight ? i18n._('until tomorrow') : i18n._('until tomorrow, {time}', { time })
  const day = formatDay(last, now)
  return midnight ? i18n._('until {day}', { day }) : i18n._('until {day}, {time}', { day, time })
}
