// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { CustomEmoji } from '../../../wire/emoji.ts'
import { success, type Outcome } from '../failures/failures.ts'
import { buildBootstrap, WORKSPACE } from '../store/buildRows.fixture.ts'
import { EMPTY_SNAPSHOT } from '../store/requestSnapshot.ts'
import { createStore } from '../store/store.ts'
import { watchVersionedList } from './watchVersionedList.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** A watched store whose workspace has emoji of this version. Each function of `responses` answers one request. */
function createFixture(version: number | undefined) {
  const store = createStore()
  const responses: ((outcome: Outcome<CustomEmoji[]>) => void)[] = []
  let current = version
  const setVersion = (next: number | undefined) => {
    current = next
    store.dispatch({ type: 'bootstrapReceived', response: buildBootstrap([]), snapshot: EMPTY_SNAPSHOT })
  }
  setVersion(version)
  const stop = watchVersionedList(store, {
    name: 'customEmoji',
    versionOf: () => current?.toString(),
    fetch: () => new Promise<Outcome<CustomEmoji[]>>((resolve) => responses.push(resolve)),
  })
  const respond = async (index: number, ...names: string[]) => {
    responses[index]?.(success(names.map((name) => ({ name }) as CustomEmoji)))
    await vi.advanceTimersByTimeAsync(0)
  }
  return {
    store,
    responses,
    setVersion,
    stop,
    respond,
    names: () => store.get().customEmoji?.map(({ name }) => name),
  }
}

it('a slow response of an earlier version does not replace the rows of a later one', async () => {
  const { setVersion, respond, responses, names } = createFixture(1)
  setVersion(2)
  expect(responses).toHaveLength(2)
  await respond(1, 'new')
  await respond(0, 'old')
  expect(names()).toEqual(['new'])
})

it('a version that the store has is not fetched again, and a workspace without a version has no rows', async () => {
  const { store, setVersion, respond, responses, names } = createFixture(1)
  await respond(0, 'ferris')
  setVersion(1)
  expect(responses).toHaveLength(1)
  store.dispatch({
    type: 'versionedListReceived',
    workspace: 'other',
    list: { name: 'customEmoji', rows: [] },
    version: '2',
  })
  expect([names(), store.get().workspace?.id]).toEqual([['ferris'], WORKSPACE])
  setVersion(undefined)
  await vi.advanceTimersByTimeAsync(0)
  expect([names(), responses.length]).toEqual([[], 1])
})

it('a request that failed is repeated until the list is no longer watched', async () => {
  const { responses, respond, stop, setVersion, names } = createFixture(1)
  const fail = async (index: number) => {
    responses[index]?.({ ok: false, failure: { name: 'network', message: '', isRetryable: true } })
    await vi.advanceTimersByTimeAsync(60_000)
  }
  await fail(0)
  expect(responses).toHaveLength(2)
  await respond(1, 'ferris')
  expect(names()).toEqual(['ferris'])
  setVersion(2)
  stop()
  await fail(2)
  expect(responses).toHaveLength(3)
})
