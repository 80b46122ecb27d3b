import { i18n } from '@lingui/core'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createFailure, success } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { setClientSession } from '../session/clientSession.ts'
import type { ClientSession } from '../session/clientSession.ts'
import { createRowFetcher } from './fetchedRows.ts'

const session = {} as ClientSession

beforeAll(() => i18n.loadAndActivate({ locale: 'en', locales: ['en'], messages: {} }))
beforeEach(() => {
  vi.useFakeTimers()
  const page = new EventTarget()
  for (const name of ['addEventListener', 'removeEventListener', 'dispatchEvent'] as const)
    vi.stubGlobal(name, page[name].bind(page))
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => setTimeout(run))
  setClientSession(session)
})
afterEach(() => {
  setClientSession(null)
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

/** A fetcher whose requests fail as often as this; and the ids of each request. */
function createFailing(times: number, failure = 'network') {
  const requests: string[][] = []
  const fetcher = createRowFetcher<string>(async (ids): Promise<Outcome<{ id: string; row: string }[]>> => {
    requests.push(ids)
    if (requests.length <= times) return { ok: false, failure: createFailure(failure) }
    return success(ids.filter((id) => id !== 'hidden').map((id) => ({ id, row: `row ${id}` })))
  })
  return { ...fetcher, requests }
}

test('rows of one frame are one request, and those that are missing are null', async () => {
  const { get, watch, requests } = createFailing(0)
  for (const id of ['a', 'b', 'hidden']) watch(id)
  await vi.runAllTimersAsync()
  expect(requests).toEqual([['a', 'b', 'hidden']])
  expect(['a', 'hidden', 'other'].map((id) => get(session, id))).toEqual(['row a', null, undefined])
})

test('a request that failed is repeated at once when the network is back', async () => {
  const { get, watch, requests } = createFailing(1)
  watch('a')
  await vi.advanceTimersByTimeAsync(1)
  expect(requests).toHaveLength(1)
  dispatchEvent(new Event('online'))
  await vi.advanceTimersByTimeAsync(1)
  expect(get(session, 'a')).toBe('row a')
  await vi.runAllTimersAsync()
  expect(requests).toHaveLength(2)
})

test('a request that failed for a moment is repeated for the rows that are still watched', async () => {
  const { get, watch, requests } = createFailing(2)
  watch('a')
  const end = watch('b')
  await vi.advanceTimersByTimeAsync(1)
  end()
  await vi.runAllTimersAsync()
  expect(requests).toEqual([['a', 'b'], ['a'], ['a']])
  expect(get(session, 'a')).toBe('row a')
})

test('a request that can never succeed is not repeated', async () => {
  const { watch, requests } = createFailing(1, 'too_many')
  watch('a')
  await vi.runAllTimersAsync()
  expect(requests).toHaveLength(1)
})
