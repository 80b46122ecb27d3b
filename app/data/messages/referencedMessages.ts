import type { Message } from '../../../wire/messages.ts'
import { callCommand } from '../client/callCommand.ts'
import { success } from '../failures/failures.ts'
import { createFetchedRows } from '../queries/fetchedRows.ts'
import { findLoadedMessage } from './findMessage.ts'

/** A quoted or forwarded message; null if the reader may not read it, undefined until that is known. */
export const useReferencedMessage = createFetchedRows<Message>({
  find: findLoadedMessage,
  fetch: async (ids) => {
    const outcome = await callCommand('messages_by_ids', { ids })
    return outcome.ok ? success(outcome.value.messages.map((row) => ({ id: row.id, row }))) : outcome
  },
})
