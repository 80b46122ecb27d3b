import type { Message } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { withOptimisticUpdates } from '../mutations/currentOptimisticUpdates.ts'
import { useClientSession } from '../hooks/useClientSession.ts'

/** A loaded message with its pending changes; null if it is not loaded (any more). */
export function useMessage(channelId: Uuid, id: Uuid): Message | null {
  return useClientSession((session) => {
    const message = session?.store.get().channels.get(channelId)?.messages.get(id)
    return message ? withOptimisticUpdates(message) : null
  })
}
