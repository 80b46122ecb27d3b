import type { SearchHit, SearchResponse } from '../../../wire/messages.ts'
import type { Failure, Outcome } from '../failures/failures.ts'

/**
 * The maximum number of pages without a match that are fetched in a row. Each request examines a bounded part of the
 * messages that the user may read. After these pages the user decides whether to search older messages.
 */
const MAX_EMPTY_PAGES = 4

export interface SearchState {
  hits: readonly SearchHit[]
  /** The folded words, beginnings of words and phrases that match the messages. */
  highlights: readonly string[]
  /** The search with misspelled words corrected; null if it is as typed. */
  corrected: string | null
  /** Cursor of the next page; null if there are no more results. */
  next: string | null
  status: 'loading' | 'ready' | 'failed'
  /** Whether a page is being fetched. */
  loading: boolean
  failure: Failure | null
}

/** The state before the first response. */
export const SEARCHING: SearchState = {
  hits: [],
  highlights: [],
  corrected: null,
  next: null,
  status: 'loading',
  loading: true,
  failure: null,
}

export interface Search {
  get: () => SearchState
  /** Fetches the next page; after a failure it fetches the same page again. */
  loadMore: () => void
}

/**
 * Runs a search, page by page. It fetches the first page at once, or continues from the earlier state `before`.
 * @param fetchPage fetches the page after a cursor, which is null for the first page
 * @param onChange is called after each change of the state
 */
export function createSearch(
  fetchPage: (before: string | null) => Promise<Outcome<SearchResponse>>,
  onChange: () => void,
  before?: SearchState,
): Search {
  let state = before ?? SEARCHING

  function change(next: Partial<SearchState>): void {
    state = { ...state, ...next }
    onChange()
  }

  async function load(): Promise<void> {
    for (let empty = 0; empty <= MAX_EMPTY_PAGES; empty += 1) {
      const isFirst = state.status !== 'ready'
      // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before ends
      const page = await fetchPage(isFirst ? null : state.next)
      if (!page.ok) {
        change({ status: isFirst ? 'failed' : 'ready', loading: false, failure: page.failure })
        return
      }
      const known = new Set(state.hits.map(({ message }) => message.id))
      const added = page.value.hits.filter(({ message }) => !known.has(message.id))
      const isFound = added.length > 0 || page.value.next === null
      change({
        hits: [...state.hits, ...added],
        highlights: isFirst ? page.value.highlights : state.highlights,
        corrected: isFirst ? (page.value.corrected ?? null) : state.corrected,
        next: page.value.next,
        status: 'ready',
        loading: !isFound && empty < MAX_EMPTY_PAGES,
        failure: null,
      })
      if (isFound) return
    }
  }

  if (!before) void load()
  return {
    get: () => state,
    loadMore: () => {
      if (state.loading || (state.status === 'ready' && state.next === null)) return
      change({ loading: true, ...(state.status === 'failed' ? { status: 'loading', failure: null } : {}) })
      void load()
    },
  }
}
