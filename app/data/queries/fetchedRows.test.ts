import { i18n } from '@lingui/core'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createFailure, success } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { setClientSession } from '../session/clientSession.ts'
import type { ClientSession } from '../session/clientSession.ts'
import { createRowQuery } from './fetchedRows.ts'

const session = { store: { watch: () => () => {} }, isLive: () => true } as unknown as ClientSession

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

/** A query whose requests fail as often as this; and the ids of each request. */
function createFailing(times: number, failure = 'network') {
  const requests: string[][] = []
  const query = createRowQuery<string>(async (ids): Promise<Outcome<{ id: string; row: string }[]>> => {
    requests.push(ids)
    if (requests.length <= times) return { ok: false, failure: createFailure(failure) }
    return success(ids.filter((id) => id !== 'hidden').map((id) => ({ id, row: `row ${id}` })))
  })
  return { ...query, requests }
}

test('rows of one frame are one request, and those that are missing are null', async () => {
  const { get, watch, requests } = createFailing(0)
  for (const id of ['a', 'b', 'hidden']) watch(id)
  await vi.runAllTimersAsync()
  expect(requests).toEqual([['a', 'b', 'hidden']])
  expect(['a', 'hidden', 'other'].map((id) => get(id))).toEqual(['row a', null, undefined])
})

test('more than 50 rows are several requests', async () => {
  const { watch, requests } = createFailing(0)
  for (let id = 0; id < 120; id++) watch(String(id))
  await vi.runAllTimersAsync()
  expect(requests.map((ids) => ids.length)).toEqual([50, 50, 20])
})

test('rows whose request failed are one request again when the network is back, if they are still watched', async () => {
  const { get, watch, requests } = createFailing(1)
  const [, , end] = [watch('a'), watch('b'), watch('c')]
  await vi.advanceTimersByTimeAsync(1)
  end?.()
  dispatchEvent(new Event('online'))
  await vi.runAllTimersAsync()
  expect(requests).toEqual([
    ['a', 'b', 'c'],
    ['a', 'b'],
  ])
  expect(get('a')).toBe('row a')
})
