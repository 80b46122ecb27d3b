import { i18n } from '@lingui/core'

/** The label of the control that opens the dialog of the user's own status. */
export function statusActionLabel(hasStatus: boolean): string {
  return hasStatus ? i18n._('Change status') : i18n._('Set a status')
}
