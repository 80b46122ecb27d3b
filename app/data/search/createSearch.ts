import type { SearchHit, SearchResponse } from '../../../wire/messages.ts'
import type { Failure, Outcome } from '../failures/failures.ts'

/**
 * Pages without a match that are fetched one after the other: each request examines a bounded part of what the user may
 * read. Then the user decides whether older messages are searched.
 */
const MAX_EMPTY_PAGES = 4

export interface SearchState {
  hits: readonly SearchHit[]
  /** Folded words, beginnings of words and phrases that the messages were found by. */
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
  /** Fetches the next page; after a failure the same again. */
  loadMore: () => void
}

/**
 * A search, page by page. It fetches the first one at once, or continues with `before`, the state in which it was left.
 * @param fetchPage fetches the page behind a cursor; of the first page that is null
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
