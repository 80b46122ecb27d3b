import { i18n } from '@lingui/core'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import { registerSentences } from '../failures/failures.ts'
import { createQuery } from '../queries/createQuery.ts'

registerSentences({
  reads_not_shared: () =>
    i18n._('To see who has read this message, turn on “Show when I have read messages” in your settings.'),
  read_receipts_off: () => i18n._('This workspace doesn’t show who has read messages here.'),
})

/** Who has read up to a message, without its author, where the workspace and the reader show it. */
export const seenBy = createQuery({ fetch: (message: Uuid) => callCommand('seen_by', { message }) })
