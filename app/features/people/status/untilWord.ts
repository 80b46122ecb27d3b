import { i18n } from '@lingui/core'
import { dayOf, isSameDay, timeOf } from '../../../ui/clock.ts'

const DAY = 86_400_000

/** "until 15:00", "until tomorrow, 09:00", "until Friday, 4 December, 09:00"; empty where there is no end. */
export function untilWord(at: string | null, now = Date.now()): string {
  if (at === null) return ''
  const time = timeOf(at)
  if (isSameDay(at, new Date(now).toISOString())) return i18n._('until {time}', { time })
  const tomorrow = new Date(now + DAY).toISOString()
  if (isSameDay(at, tomorrow)) return i18n._('until tomorrow, {time}', { time })
  return i18n._('until {day}, {time}', { day: dayOf(at, new Date(now)), time })
}
