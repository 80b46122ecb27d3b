import { expect, test } from 'vitest'
import type { SearchHit, SearchResponse } from '../../../wire/messages.ts'
import { success, type Outcome } from '../failures/failures.ts'
import { createSearch } from './createSearch.ts'

const hit = (id: string) => ({ message: { id } }) as SearchHit

const page = (ids: string[], next: string | null, change: Partial<SearchResponse> = {}) =>
  success<SearchResponse>({ hits: ids.map(hit), highlights: ['van'], next, ...change })

const settled = async () => {
  for (let round = 0; round < 30; round += 1) await Promise.resolve() // oxlint-disable-line no-await-in-loop
}

/** A server that returns these responses in order, and the cursors that it was called with. */
function createServer(...responses: Outcome<SearchResponse>[]) {
  const cursors: (string | null)[] = []
  const fetchPage = async (before: string | null) => {
    cursors.push(before)
    return responses.shift()!
  }
  return { cursors, fetchPage }
}

const failed: Outcome<SearchResponse> = {
  ok: false,
  failure: { name: 'network', message: 'No network.', isRetryable: true },
}

test('pages are added to the first one, whose highlights and correction remain', async () => {
  const { cursors, fetchPage } = createServer(
    page(['a', 'b'], '1', { corrected: 'van' }),
    page(['b', 'c'], null, { highlights: [] }),
  )
  const search = createSearch(fetchPage, () => {})
  await settled()
  expect(search.get()).toMatchObject({ status: 'ready', loading: false, next: '1', corrected: 'van' })
  search.loadMore()
  search.loadMore()
  expect(search.get().loading).toBe(true)
  await settled()
  expect(search.get().hits.map(({ message }) => message.id)).toEqual(['a', 'b', 'c'])
  expect(search.get()).toMatchObject({ highlights: ['van'], corrected: 'van', next: null })
  search.loadMore()
  await settled()
  expect(cursors).toEqual([null, '1'])
})

test('pages without matches are passed over, a bounded number at a time', async () => {
  const empty = Array.from({ length: 8 }, (_, index) => page([], `${index + 1}`))
  const { cursors, fetchPage } = createServer(...empty, page(['a'], null))
  const search = createSearch(fetchPage, () => {})
  await settled()
  expect(cursors).toEqual([null, '1', '2', '3', '4'])
  expect(search.get()).toMatchObject({ status: 'ready', loading: false, next: '5' })
  search.loadMore()
  await settled()
  expect(search.get()).toMatchObject({ hits: [hit('a')], loading: false, next: null })
})

test('a failed request is repeated, and what was found remains', async () => {
  const { cursors, fetchPage } = createServer(failed, page(['a'], '1'), failed, page(['b'], null))
  const search = createSearch(fetchPage, () => {})
  await settled()
  expect(search.get()).toMatchObject({ status: 'failed', loading: false, failure: { name: 'network' } })
  search.loadMore()
  expect(search.get()).toMatchObject({ status: 'loading', failure: null })
  await settled()
  search.loadMore()
  await settled()
  expect(search.get()).toMatchObject({ status: 'ready', hits: [hit('a')], failure: { name: 'network' } })
  search.loadMore()
  await settled()
  expect(search.get().hits).toHaveLength(2)
  expect(cursors).toEqual([null, null, '1', '1'])
})

test('a search that was left continues where it was', async () => {
  const first = createServer(page(['a'], '1'))
  const search = createSearch(first.fetchPage, () => {})
  await settled()
  const second = createServer(page(['b'], null))
  const again = createSearch(second.fetchPage, () => {}, search.get())
  expect(again.get().hits).toHaveLength(1)
  again.loadMore()
  await settled()
  expect(second.cursors).toEqual(['1'])
  expect(again.get().hits).toHaveLength(2)
})
