import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { UserEvent } from '../../../wire/events.ts'
import type { UnreadWorkspace } from '../../../wire/people.ts'
import { success } from '../failures/failures.ts'
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

const UNREAD: UnreadWorkspace[] = [
  { workspace_id: 'other', name: 'Choir', icon: null, unread: true, mentions: 1 },
]

/** A watcher of a store with one workspace, after its first request. */
async function createFixture() {
  const store = createStore()
  store.dispatch({
    type: 'bootstrapReceived',
    response: buildBootstrap([buildChannelEntry()]),
    snapshot: EMPTY_SNAPSHOT,
  })
  const page = { isVisible: true, isOnline: true }
  const request = vi.fn(async () =>
    page.isOnline
      ? success({ workspaces: UNREAD })
      : { ok: false as const, failure: { name: 'network', message: '', isRetryable: true } },
  )
  const onUnread = vi.fn()
  const watcher = createUnreadWatcher(store, {
    request,
    onUnread,
    visible: () => page.isVisible,
    now: () => Date.now(),
    after: (ms, run) => {
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    },
  })
  await vi.advanceTimersByTimeAsync(500)
  const receive = (event: UserEvent) => store.dispatch({ type: 'userEventReceived', event })
  const beat = () =>
    store.dispatch({
      type: 'heartbeatReceived',
      heartbeat: buildHeartbeat([]),
      snapshot: EMPTY_SNAPSHOT,
    })
  return { page, request, onUnread, receive, beat, watcher }
}

const activity = (channel_id: string): UserEvent => ({
  event: 'activity',
  payload: { channel_id, seq: 1, rev: 1, mention: true },
})
const unread = (workspace_id: string): UserEvent => ({
  event: 'unread',
  payload: { workspace_id, channel_id: 'there' },
})

it('requests at the start what is unread', async () => {
  const { request, onUnread } = await createFixture()
  expect(request).toHaveBeenCalledOnce()
  expect(onUnread).toHaveBeenCalledWith(UNREAD)
})

it('requests again when an event concerns another workspace, and not for the shown one', async () => {
  const { request, receive } = await createFixture()
  receive(activity(LOBBY))
  receive(unread(WORKSPACE))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(request).toHaveBeenCalledOnce()
  receive(unread('other'))
  await vi.advanceTimersByTimeAsync(500)
  expect(request).toHaveBeenCalledTimes(2)
  await vi.advanceTimersByTimeAsync(10_000)
  receive(activity('there'))
  await vi.advanceTimersByTimeAsync(500)
  expect(request).toHaveBeenCalledTimes(3)
  await vi.advanceTimersByTimeAsync(10_000)
  receive({ event: 'message_deleted', payload: { channel_id: 'there', message_id: 'm' } })
  await vi.advanceTimersByTimeAsync(500)
  expect(request).toHaveBeenCalledTimes(4)
})

it('sends one request for many events, at most every two seconds', async () => {
  const { request, receive } = await createFixture()
  for (let count = 0; count < 100; count++) {
    receive(activity('there'))
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(request.mock.calls.length).toBeLessThanOrEqual(6)
  expect(request.mock.calls.length).toBeGreaterThan(2)
})

it('requests with a heartbeat what events have not announced for a minute', async () => {
  const { request, beat } = await createFixture()
  beat()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(request).toHaveBeenCalledOnce()
  await vi.advanceTimersByTimeAsync(55_000)
  beat()
  await vi.advanceTimersByTimeAsync(500)
  expect(request).toHaveBeenCalledTimes(2)
})

it('requests nothing in a hidden page, and after a failure with the next heartbeat', async () => {
  const { page, request, onUnread, receive, beat, watcher } = await createFixture()
  page.isVisible = false
  receive(activity('there'))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(request).toHaveBeenCalledOnce()
  page.isVisible = true
  page.isOnline = false
  beat()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(request).toHaveBeenCalledTimes(2)
  expect(onUnread).toHaveBeenCalledOnce()
  page.isOnline = true
  beat()
  await vi.advanceTimersByTimeAsync(500)
  expect(onUnread).toHaveBeenCalledTimes(2)
  watcher.stop()
  beat()
  await vi.advanceTimersByTimeAsync(100_000)
  expect(request).toHaveBeenCalledTimes(3)
})
