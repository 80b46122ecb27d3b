import { useState } from 'react'
import { success, type Outcome } from '../failures/failures.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import { createQueryOf, type Follow, type Query, type QueryArgs, type QueryOptions } from './createQuery.ts'
import type { QueryEntry } from './queryEntry.ts'
import { useQuery, type QueryResult } from './useQuery.ts'

/** The position after which a page starts. */
type Cursor = string | number

/** The maximum number of items that a list shows. */
const MAX_ITEMS = 1000
/** Pages without new items that are fetched in a row, since each request examines a bounded number of rows. */
const MAX_EMPTY_PAGES = 5

/** One page of a list, or all pages that are loaded. */
export interface Page<T, C extends Cursor = Cursor, S = unknown> {
  items: readonly T[]
  /** The cursor of the next page; null if there is none. */
  next: C | null
  /** Facts about the whole list, such as the number of its items. The list keeps the summary of its first page. */
  summary?: S
}

interface Options<A extends QueryArgs, T, C extends Cursor, S> extends QueryOptions {
  /** Fetches the page after a cursor, which is null for the first page. */
  fetch: (after: C | null, ...args: A) => Promise<Outcome<Page<T, C, S>>>
  /** Identifies an item. An item that is also on a later page is shown once. */
  idOf: (item: T) => unknown
  follow?: Follow<A, Page<T, Cursor, S>>
  /** The number of items after which a repeated fetch of the list ends; default: all loaded items. */
  maxRefetched?: number
}

type FetchPage<T, C extends Cursor, S> = (after: C | null) => Promise<Outcome<Page<T, C, S>>>

/** A query that is fetched page by page. After an invalidation it fetches as many items again as are loaded. */
export interface PagedQuery<A extends QueryArgs, T, S = unknown> extends Query<A, Page<T, Cursor, S>> {
  /** Fetches one page more than is loaded. */
  loadNext: (entry: QueryEntry<Page<T, Cursor, S>>, args: A) => void
}

/** Creates a query whose value grows by a page at a time, up to 1,000 items. */
export function createPagedQuery<A extends QueryArgs, T, C extends Cursor, S = unknown>(
  options: Options<A, T, C, S>,
): PagedQuery<A, T, S> {
  const { fetch, idOf, maxRefetched = MAX_ITEMS, ...others } = options
  const fetchOf = (args: A) => ((after) => fetch(after as C | null, ...args)) as FetchPage<T, Cursor, S>
  const query = createQueryOf<A, Page<T, Cursor, S>>(others, (...args) => async (before) => {
    const count = Math.min(before?.items.length ?? 1, maxRefetched)
    const loaded = await loadItems(fetchOf(args), idOf, null, count)
    return loaded.ok && before ? success(reuseUnchanged(before, loaded.value, idOf)) : loaded
  })
  return {
    ...query,
    loadNext: (entry, args) =>
      entry.request(async (before) =>
        before?.next === null ? success(before) : loadItems(fetchOf(args), idOf, before ?? null, 1),
      ),
  }
}

/** The list with the unchanged objects of an earlier one, so that their rows are not rendered again. */
function reuseUnchanged<T, S>(
  before: Page<T, Cursor, S>,
  now: Page<T, Cursor, S>,
  idOf: (item: T) => unknown,
): Page<T, Cursor, S> {
  const known = new Map(before.items.map((item) => [idOf(item), item]))
  const reuse = (item: T): T => {
    const earlier = known.get(idOf(item))
    return earlier !== undefined && JSON.stringify(earlier) === JSON.stringify(item) ? earlier : item
  }
  return { ...now, items: now.items.map(reuse) }
}

/** Removes items of a list at once. */
export function removeItems<T, S>(
  entry: QueryEntry<Page<T, Cursor, S>>,
  isRemoved: (item: T) => boolean,
): void {
  const { value } = entry.state
  if (value?.items.some(isRemoved))
    entry.set({ ...value, items: value.items.filter((item) => !isRemoved(item)) })
}

/** Fetches pages until there are `wanted` items in addition to `before`, at most 1,000 in all. */
async function loadItems<T, S>(
  fetchPage: FetchPage<T, Cursor, S>,
  idOf: (item: T) => unknown,
  before: Page<T, Cursor, S> | null,
  wanted: number,
): Promise<Outcome<Page<T, Cursor, S>>> {
  const items = new Map((before?.items ?? []).map((item) => [idOf(item), item]))
  const enough = Math.min(items.size + wanted, MAX_ITEMS)
  let loaded = before
  let emptyPages = 0
  do {
    // oxlint-disable-next-line no-await-in-loop -- the cursor of the next page is in this one
    const page = await fetchPage(loaded?.next ?? null)
    if (!page.ok) return page
    const count = items.size
    for (const item of page.value.items) if (!items.has(idOf(item))) items.set(idOf(item), item)
    emptyPages = items.size > count ? 0 : emptyPages + 1
    loaded = { ...page.value, ...(loaded ? { summary: loaded.summary } : {}) }
  } while (loaded.next !== null && items.size < enough && emptyPages < MAX_EMPTY_PAGES)
  return success({ ...loaded, items: [...items.values()] })
}

/** A list as `PagedList` of `app/features/parts/lists` shows it. Its value is the loaded items. */
export interface Pages<T, S = unknown> extends QueryResult<readonly T[]> {
  summary: S | undefined
  /** Whether the value is the one of the previous arguments. */
  isPrevious: boolean
  /** Fetches the next page; null if there is none, or 1,000 items are shown. */
  more: (() => void) | null
  /** Whether there are more items than a list shows. */
  isCut: boolean
}

/** Whether the items of the previous arguments remain while others are fetched; default: true. */
interface PagesOptions {
  keepsPrevious?: boolean
}

/** Shows the pages of a query. While a list with other arguments is fetched, the previous one remains. Without a query, nothing is fetched. */
export function usePagedQuery<A extends QueryArgs, T, S>(
  query: PagedQuery<A, T, S> | null,
  ...[args, { keepsPrevious = true } = {}]: A extends readonly []
    ? [args?: A, options?: PagesOptions]
    : [args: A, options?: PagesOptions]
): Pages<T, S> {
  const { value, failure, isFetching, retry } = useQuery(
    query as unknown as Query<QueryArgs, Page<T, Cursor, S>> | null,
    args ?? [],
  )
  const scope = useClientSession(() => query?.source.scope() ?? null)
  const [last, setLast] = useState({ scope, value })
  if (value && value !== last.value) setLast({ scope, value })
  if (!query && last.value) setLast({ scope, value: undefined })
  const shown = value ?? (keepsPrevious && last.scope === scope ? last.value : undefined)
  const next = value?.next ?? null
  const isCut = next !== null && value !== undefined && value.items.length >= MAX_ITEMS
  const more = () => {
    if (!query || !scope) return
    const entry = query.source.find(scope, JSON.stringify(args ?? []))
    if (entry) query.loadNext(entry, (args ?? []) as unknown as A)
  }
  return {
    value: shown?.items,
    summary: shown?.summary,
    isPrevious: value === undefined && shown !== undefined,
    failure,
    isFetching,
    more: next === null || isCut ? null : more,
    isCut,
    retry,
  }
}
