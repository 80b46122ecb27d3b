import { i18n } from '@lingui/core'
import type { AdministeredPerson } from '../../../../wire/people.ts'

/** The state of a membership in a word. */
export function administeredStateLabel(state: AdministeredPerson['state']): string {
  switch (state) {
    case 'active':
      return i18n._('Active')
    case 'deactivated':
      return i18n._('Deactivated')
    case 'left':
      return i18n._('Left')
    case 'removed':
      return i18n._('Removed')
  }
}
