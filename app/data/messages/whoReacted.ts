import type { Uuid } from '../../../wire/scalars.ts'
import { runQuery } from '../client/runQuery.ts'
import { success } from '../failures/failures.ts'
import { createQuery } from '../queries/createQuery.ts'

/** People of one emoji that are listed. */
const MAX_PEOPLE = 1000

/** Everyone who reacted with an emoji, in order of reacting; a row contains only the first 20. */
export const whoReacted = createQuery({
  fetch: async (messageId: Uuid, emoji: string) => {
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
  },
})
