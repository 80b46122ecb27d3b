import { i18n } from '@lingui/core'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import { registerSentences, type Outcome } from '../failures/failures.ts'

registerSentences({
  read_receipts_off: () => i18n._('This workspace doesn’t show who has read messages here.'),
})

/** Who has read up to a message, without its author, where the workspace shows it. */
export async function seenBy(message: Uuid): Promise<Outcome<{ people: Uuid[] }>> {
  return callCommand('seen_by', { message })
}
