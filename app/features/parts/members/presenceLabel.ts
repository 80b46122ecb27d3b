import { i18n } from '@lingui/core'
import type { PresenceState } from '../../../../wire/people.ts'

/** The label of a presence. */
export function presenceLabel(state: PresenceState): string {
  switch (state) {
    case 'active':
      return i18n._('Active')
    case 'away':
      return i18n._('Away')
    case 'dnd':
      return i18n._('Do not disturb')
    case 'offline':
      return i18n._('Offline')
  }
}
