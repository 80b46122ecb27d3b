import type { AdjacentMessage, Message, SearchFilters, SearchHit } from '../../../wire/messages.ts'
import { success } from '../failures/failures.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import { findLoadedMessage } from '../messages/findMessage.ts'
import { createPagedQuery } from '../queries/pagedQuery.ts'
import { callForWorkspace } from '../workspaces/callForWorkspace.ts'

/** Results of a page. */
const PAGE_SIZE = 20
/** Number of searches whose results are shown again. */
const MAX_SEARCHES = 8
/** Milliseconds after which a search is started anew. */
const FRESH_MS = 5 * 60_000

export interface SearchRequest {
  /** Words, phrases in quotes, and excluded ones after a minus sign. */
  text: string
  filters: SearchFilters
}

/** What the response to a search contains besides the messages. */
export interface SearchSummary {
  /** The folded words, beginnings of words and phrases that match the messages. */
  highlights: readonly string[]
  /** The search with misspelled words corrected; null if it is as typed. */
  corrected: string | null
}

/** The messages that match a search. Returning to a recent search shows what was loaded of it. */
export const messageSearch = createPagedQuery({
  maxStored: MAX_SEARCHES,
  freshMs: FRESH_MS,
  maxRefetched: 1,
  idOf: (hit: SearchHit) => hit.message.id,
  fetch: async (before: string | null, { text, filters }: SearchRequest) => {
    const args = { query: text, filters, before, limit: PAGE_SIZE }
    const outcome = await callForWorkspace('search_messages', args)
    if (!outcome.ok) return outcome
    const { hits, next, highlights, corrected = null } = outcome.value
    const summary: SearchSummary = { highlights, corrected }
    return success({ items: hits, next, summary })
  },
})

/** A found message as it is now, if it is loaded; null if it was deleted, or its channel is no longer readable. */
export function useFoundMessage(found: Message): Message | null {
  return useClientSession((session) => {
    if (!session || session.missingChannels.has(found.channel_id)) return null
    const loaded = findLoadedMessage(session, found.id) ?? found
    return loaded.deleted_at === null ? loaded : null
  })
}

/** The message beside a found one as it is now, if it is loaded; null if there is none, or it was deleted. */
export function useAdjacentMessage(adjacent: AdjacentMessage | null): AdjacentMessage | null {
  return useClientSession((session) => {
    const loaded = session && adjacent ? findLoadedMessage(session, adjacent.id) : null
    return loaded?.deleted_at ? null : adjacent
  })
}
