import { i18n } from '@lingui/core'
import { dayOf, isSameDay, timeOf } from '../../../ui/clock.ts'

/** "today 09:02", "yesterday 09:02", "Monday 09:02", "3 November": a moment within a sentence. */
export function whenOf(at: string, now = new Date()): string {
  if (isSameDay(at, now.toISOString())) return i18n._('today {time}', { time: timeOf(at) })
  if (isSameDay(at, new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1).toISOString()))
    return i18n._('yesterday {time}', { time: timeOf(at) })
  return i18n._('{day} {time}', { day: dayOf(at, now), time: timeOf(at) })
}
