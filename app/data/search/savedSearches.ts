import { i18n } from '@lingui/core'
import type { SavedSearch } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { runQuery } from '../client/runQuery.ts'
import { createFailure, registerSentences, success, type Outcome } from '../failures/failures.ts'
import { memoizeByKey } from '../hooks/memoize.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import { noWorkspace, workspaceId } from '../workspaces/workspace.ts'
import { storeOwnRow } from '../session/storeOwnRow.ts'

/** What the database permits. */
export const SAVED_SEARCH_NAME_CHARACTERS = 80

const COLUMNS = 'id, name, query, rev'

const searchName = () => i18n._('Names of searches can be 1 to 80 characters long.')

registerSentences({
  saved_searches_name_length: searchName,
  saved_searches_query_length: () => i18n._('A saved search can be up to 500 characters long.'),
  saved_searches_at_most_fifty: () =>
    i18n._('You’ve reached the limit of 50 saved searches. Delete one to add another.'),
})

const sorted = memoizeByKey(
  (_before: readonly SavedSearch[] | undefined, searches: ReadonlyMap<Uuid, SavedSearch>) =>
    sortByName([...searches.values()]),
  1,
)
const NONE: readonly SavedSearch[] = []

/** The user's saved searches of the workspace, by name. */
export function useSavedSearches(): readonly SavedSearch[] {
  return useClientSession((session) => (session ? sorted(i18n.locale, session.store.get().searches) : NONE))
}

/** By name as people read it: without case, numbers by their value; equal names by id, so that the order is stable. */
export function sortByName<T extends Pick<SavedSearch, 'id' | 'name'>>(searches: readonly T[]): T[] {
  const { compare } = new Intl.Collator(i18n.locale, { sensitivity: 'base', numeric: true })
  return [...searches].sort((a, b) => compare(a.name, b.name) || a.id.localeCompare(b.id))
}

/** Saves a search, or one again that was deleted. Idempotent by its id. */
export async function saveSearch({ id, name, query }: Omit<SavedSearch, 'rev'>): Promise<Outcome> {
  const workspace = workspaceId()
  if (!workspace) return noWorkspace()
  const saved = await runQuery<SavedSearch[]>((client) =>
    client.from('saved_searches').insert({ id, name, query, workspace_id: workspace }).select(COLUMNS),
  )
  if (saved.ok) storeOwnRow('searches', id, saved.value[0] ?? null)
  // `saved_searches_pkey`: saved by an earlier request whose response was lost.
  return saved.ok || saved.failure.name === 'saved_searches_pkey' ? success(undefined) : saved
}

/** Gives a saved search another name. Fails with `not_found` where another device has deleted it. */
export async function renameSavedSearch(id: Uuid, name: string): Promise<Outcome> {
  const renamed = await runQuery<SavedSearch[]>((client) =>
    client.from('saved_searches').update({ name }).eq('id', id).select(COLUMNS),
  )
  if (!renamed.ok) return renamed
  const row = renamed.value[0] ?? null
  storeOwnRow('searches', id, row)
  return row ? success(undefined) : { ok: false, failure: createFailure('not_found') }
}

/** Deletes a saved search. Succeeds where another device has deleted it. */
export async function deleteSavedSearch(id: Uuid): Promise<Outcome> {
  const deleted = await runQuery((client) => client.from('saved_searches').delete().eq('id', id))
  if (!deleted.ok) return deleted
  storeOwnRow('searches', id, null)
  return success(undefined)
}
