import type { Message } from '../../../wire/messages.ts'
import { callCommand } from '../client/callCommand.ts'
import { withOptimisticUpdates } from '../mutations/currentOptimisticUpdates.ts'
import { getClientSession } from '../session/clientSession.ts'
import { findLoadedMessage } from './findMessage.ts'

/** Of one request. */
const MAX_IDS = 50

/**
 * Messages as they are now, in the same order, without those that were deleted or that the user may no longer read. Those
 * that are not loaded any more are fetched; where that fails, they are returned as they were.
 */
export async function currentMessages(messages: readonly Message[]): Promise<Message[]> {
  const session = getClientSession()
  if (!session) return []
  const current = new Map<string, Message | null>()
  for (const { id } of messages) current.set(id, findLoadedMessage(session, id))
  const missing = messages.filter(({ id }) => !current.get(id))
  for (let from = 0; from < missing.length; from += MAX_IDS) {
    const chunk = missing.slice(from, from + MAX_IDS)
    const outcome = await callCommand('messages_by_ids', { ids: chunk.map(({ id }) => id) })
    for (const message of outcome.ok ? outcome.value.messages : chunk) current.set(message.id, message)
  }
  return messages.flatMap(({ id }) => {
    const message = current.get(id)
    return message && message.deleted_at === null ? [withOptimisticUpdates(message)] : []
  })
}
