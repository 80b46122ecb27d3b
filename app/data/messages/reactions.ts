import type { Message } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { success } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { withOptimisticUpdates } from '../mutations/currentOptimisticUpdates.ts'
import { runQuery } from '../client/runQuery.ts'
import { useClientSession } from '../hooks/useClientSession.ts'

/** Maximum number of people of one reaction that are fetched. */
const MAX_PEOPLE = 1_000

/** A loaded message with its pending changes; null if it is not loaded (any more). */
export function useMessage(channelId: Uuid, id: Uuid): Message | null {
  return useClientSession((session) => {
    const message = session?.store.get().channels.get(channelId)?.messages.get(id)
    return message ? withOptimisticUpdates(message) : null
  })
}

/** Everyone who reacted with an emoji, in order of reacting; a row contains only the first 20. */
export async function whoReacted(messageId: Uuid, emoji: string): Promise<Outcome<Uuid[]>> {
  const rows = await runQuery((client) =>
    client
      .from('reactions')
      .select('profile_id')
      .eq('message_id', messageId)
      .eq('emoji', emoji)
      .order('position')
      .limit(MAX_PEOPLE),
  )
  return rows.ok ? success(rows.value.map((row) => row.profile_id as Uuid)) : rows
}
