import { i18n } from '@lingui/core'
import type { ReminderRepeat } from '../../../../wire/messages.ts'

/** How often a reminder is repeated. */
export function repeatLabel(repeats: ReminderRepeat | null): string {
  switch (repeats) {
    case 'daily':
      return i18n._('Every day')
    case 'weekdays':
      return i18n._('Every weekday')
    case 'weekly':
      return i18n._('Every week')
    case 'monthly':
      return i18n._('Every month')
    case null:
      return i18n._('Never')
  }
}
