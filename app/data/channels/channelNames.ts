import { runQuery } from '../client/runQuery.ts'
import { success } from '../failures/failures.ts'
import { createFetchedRows } from '../queries/fetchedRows.ts'

/** The name of a channel; null if the reader may not read it, undefined until that is known. */
export const useChannelName = createFetchedRows<string>({
  find: (session, id) => session.store.get().channels.get(id)?.entry.channel.name ?? null,
  fetch: async (ids) => {
    const outcome = await runQuery((client) =>
      client
        .from('channels')
        .select('id, name')
        .in('id', ids)
        .returns<{ id: string; name: string | null }[]>(),
    )
    return outcome.ok
      ? success(outcome.value.flatMap(({ id, name }) => (name === null ? [] : [{ id, row: name }])))
      : outcome
  },
})
