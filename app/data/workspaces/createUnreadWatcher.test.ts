import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { UserEvent } from '../../../wire/events.ts'
import {
  buildBootstrap,
  buildChannelEntry,
  buildHeartbeat,
  LOBBY,
  WORKSPACE,
} from '../store/buildRows.fixture.ts'
import { EMPTY_SNAPSHOT } from '../store/requestSnapshot.ts'
import { createStore } from '../store/store.ts'
import { createUnreadWatcher } from './createUnreadWatcher.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** A watcher of a store with one workspace. */
function createFixture() {
  const store = createStore()
  store.dispatch({
    type: 'bootstrapReceived',
    response: buildBootstrap([buildChannelEntry()]),
    snapshot: EMPTY_SNAPSHOT,
  })
  const page = { isVisible: true }
  const refetch = vi.fn()
  const watcher = createUnreadWatcher(store, {
    refetch,
    visible: () => page.isVisible,
    now: () => Date.now(),
    after: (ms, run) => {
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    },
  })
  const receive = (event: UserEvent) => store.dispatch({ type: 'userEventReceived', event })
  const beat = () =>
    store.dispatch({
      type: 'heartbeatReceived',
      heartbeat: buildHeartbeat([]),
      snapshot: EMPTY_SNAPSHOT,
    })
  return { page, refetch, receive, beat, watcher }
}

const activity = (channel_id: string): UserEvent => ({
  event: 'activity',
  payload: { channel_id, seq: 1, rev: 1, mention: true },
})
const unread = (workspace_id: string): UserEvent => ({
  event: 'unread',
  payload: { workspace_id, channel_id: 'there' },
})

it('fetches again when an event concerns another workspace, and not for the shown one', async () => {
  const { refetch, receive } = createFixture()
  receive(activity(LOBBY))
  receive(unread(WORKSPACE))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(refetch).not.toHaveBeenCalled()
  const deleted: UserEvent = { event: 'message_deleted', payload: { channel_id: 'there', message_id: 'm' } }
  for (const [index, event] of [unread('other'), activity('there'), deleted].entries()) {
    receive(event)
    await vi.advanceTimersByTimeAsync(500)
    expect(refetch).toHaveBeenCalledTimes(index + 1)
    await vi.advanceTimersByTimeAsync(10_000)
  }
})

it('fetches once for many events, at most every two seconds', async () => {
  const { refetch, receive } = createFixture()
  for (let count = 0; count < 100; count++) {
    receive(activity('there'))
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(refetch.mock.calls.length).toBeLessThanOrEqual(6)
  expect(refetch.mock.calls.length).toBeGreaterThan(2)
})

it('fetches with a heartbeat what events have not announced for a minute', async () => {
  const { refetch, beat } = createFixture()
  beat()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(refetch).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(55_000)
  beat()
  await vi.advanceTimersByTimeAsync(500)
  expect(refetch).toHaveBeenCalledOnce()
})

it('fetches nothing in a hidden page, and then with the next heartbeat', async () => {
  const { page, refetch, receive, beat, watcher } = createFixture()
  page.isVisible = false
  receive(activity('there'))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(refetch).not.toHaveBeenCalled()
  page.isVisible = true
  beat()
  await vi.advanceTimersByTimeAsync(2_000)
  expect(refetch).toHaveBeenCalledOnce()
  watcher.stop()
  beat()
  await vi.advanceTimersByTimeAsync(100_000)
  expect(refetch).toHaveBeenCalledOnce()
})
