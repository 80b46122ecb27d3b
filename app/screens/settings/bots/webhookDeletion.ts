import { i18n } from '@lingui/core'
import type { Outcome } from '../../../data/failures/failures.ts'
import type { Confirmation } from '../EditableList.tsx'

/** The dialog that confirms the deletion of a webhook. `text`: the consequences. */
export function webhookDeletion(text: string, run: () => Promise<Outcome<unknown>>): Confirmation {
  return {
    title: i18n._('Delete this webhook?'),
    text,
    action: i18n._('Delete webhook'),
    isDestructive: true,
    doneText: i18n._('Webhook deleted.'),
    run,
  }
}
