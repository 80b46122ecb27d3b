import { useCallback, useSyncExternalStore } from 'react'
import type { Message, SearchFilters } from '../../../wire/messages.ts'
import { callCommand } from '../client/callCommand.ts'
import { createFailure } from '../failures/failures.ts'
import { setBounded } from '../hooks/setBounded.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import { findLoadedMessage } from '../messages/findMessage.ts'
import { getClientSession, type ClientSession } from '../session/clientSession.ts'
import { createSearch, SEARCHING, type Search, type SearchState } from './createSearch.ts'

/** Results of a page. */
const PAGE_SIZE = 20
/** Searches whose results are shown again at once when the user returns to them. */
const MAX_SEARCHES = 8
/** Milliseconds after which a search is started anew. */
const FRESH_MS = 5 * 60_000

export interface SearchRequest {
  /** Words, phrases in quotes, and excluded ones after a minus sign. */
  text: string
  filters: SearchFilters
}

interface StoredSearch {
  search: Search
  startedAt: number
}

/** By client session, so that results end with it. */
const searchesBySession = new WeakMap<ClientSession, Map<string, StoredSearch>>()
const listeners = new Set<() => void>()

function notify(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The search of this key, which is started if it is not a recent one. */
function findSearch(session: ClientSession, key: string): Search {
  const searches = searchesBySession.get(session) ?? new Map<string, StoredSearch>()
  searchesBySession.set(session, searches)
  const stored = searches.get(key)
  if (stored && performance.now() - stored.startedAt < FRESH_MS) return stored.search
  const { text, filters } = JSON.parse(key) as SearchRequest
  const search = createSearch(async (before) => {
    const workspace = session.store.get().workspace?.id
    if (!workspace || getClientSession() !== session)
      return { ok: false, failure: createFailure('session_ended') }
    return callCommand('search_messages', { workspace, query: text, filters, before, limit: PAGE_SIZE })
  }, notify)
  setBounded(searches, key, { search, startedAt: performance.now() }, MAX_SEARCHES)
  return search
}

/**
 * The state of a search, null without a request; and what fetches its next page. Returning to one of the last searches
 * shows what was loaded of it.
 */
export function useSearch(request: SearchRequest | null): [state: SearchState | null, loadMore: () => void] {
  const session = useClientSession((current) => (current?.store.get().source === 'live' ? current : null))
  const key = request && JSON.stringify({ text: request.text, filters: request.filters })
  const get = () => (session && key !== null ? searchesBySession.get(session)?.get(key)?.search : undefined)
  const start = useCallback(
    (listener: () => void) => {
      const unsubscribe = subscribe(listener)
      if (session && key !== null) {
        findSearch(session, key)
        listener()
      }
      return unsubscribe
    },
    [session, key],
  )
  const state = useSyncExternalStore(start, () => get()?.get())
  return [key === null ? null : (state ?? SEARCHING), () => get()?.loadMore()]
}

/** A found message as it is now, if it is loaded; null if it was deleted, or its channel is no longer readable. */
export function useFoundMessage(found: Message): Message | null {
  return useClientSession((session) => {
    if (!session || session.missingChannels.has(found.channel_id)) return null
    const loaded = findLoadedMessage(session, found.id) ?? found
    return loaded.deleted_at === null ? loaded : null
  })
}
