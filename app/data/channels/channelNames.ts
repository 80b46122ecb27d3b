import type { Channel } from '../../../wire/channels.ts'
import { runQuery } from '../client/runQuery.ts'
import { createFetchedRows } from '../queries/fetchedRows.ts'
import { success } from '../failures/failures.ts'

/** A channel as a reader sees it who may not be a member. A direct conversation has no name. */
export type NamedChannel = Pick<Channel, 'id' | 'name' | 'workspace_id'>

/** A channel of any workspace; null if the reader may not read it, undefined until that is known. */
export const useNamedChannel = createFetchedRows<NamedChannel>({
  find: (session, id) => session.store.get().channels.get(id)?.entry.channel ?? null,
  fetch: async (ids) => {
    const outcome = await runQuery((client) =>
      client.from('channels').select('id, name, workspace_id').in('id', ids).returns<NamedChannel[]>(),
    )
    return outcome.ok ? success(outcome.value.map((row) => ({ id: row.id, row }))) : outcome
  },
})
