// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ActivityEntry, ActivityPage } from '../../../wire/activity.ts'
import { success } from '../failures/failures.ts'
import { setClientSession, type ClientSession } from '../session/clientSession.ts'
import {
  buildBootstrap,
  buildChannelEntry,
  buildMessage,
  LOBBY,
  ME,
  OTHER,
} from '../store/buildRows.fixture.ts'
import { EMPTY_SNAPSHOT } from '../store/requestSnapshot.ts'
import { createStore, type Store } from '../store/store.ts'
import { activityList, markActivitySeen } from './activityList.ts'

const server = vi.hoisted(() => ({ page: {} as unknown, requests: [] as string[] }))
vi.mock(import('../workspaces/callForWorkspace.ts'), () => ({
  callForWorkspace: (async (name: string) => {
    server.requests.push(name)
    return success(server.page)
  }) as never,
}))

const entry = (seq: number): ActivityEntry => ({
  kind: 'mention',
  at: '2026-01-01T10:00:00Z',
  message: buildMessage(seq),
  emoji: null,
  profile_id: null,
  thread: null,
})
const respondWith = (...entries: ActivityEntry[]): void => {
  server.page = { entries, before: null, seen_at: '2026-01-01T09:00:00Z' } satisfies ActivityPage
}

let store: Store
let unwatch: () => void

beforeEach(async () => {
  vi.useFakeTimers()
  server.requests.length = 0
  store = createStore()
  const response = buildBootstrap([buildChannelEntry()])
  store.dispatch({ type: 'bootstrapReceived', response, snapshot: EMPTY_SNAPSHOT })
  setClientSession({ store, isLive: () => true } as unknown as ClientSession)
  respondWith(entry(8))
  unwatch = activityList.watch('all')
  await vi.advanceTimersByTimeAsync(0)
})
afterEach(() => {
  unwatch()
  setClientSession(null)
  vi.useRealTimers()
})

const receive = (seq: number, change: object) =>
  store.dispatch({
    type: 'channelEventReceived',
    event: { event: 'message', payload: { channel_id: LOBBY, rev: seq, message: buildMessage(seq, change) } },
  })
const seqs = () => activityList.get('all')?.items.map(({ message }) => message.seq)

test('a new mention is listed with one request for several events, and other messages cause none', async () => {
  receive(9, { body: 'nothing', author_id: OTHER })
  await vi.advanceTimersByTimeAsync(2_000)
  expect(server.requests).toHaveLength(1)
  respondWith(entry(10), entry(8))
  receive(10, { body: `<@${ME}>`, author_id: OTHER })
  receive(11, { body: '<!here>', author_id: OTHER })
  await vi.advanceTimersByTimeAsync(2_000)
  expect(server.requests).toHaveLength(2)
  expect(seqs()).toEqual([10, 8])
})

test('entries of deleted messages are removed at once', () => {
  receive(8, { deleted_at: '2026-01-01T10:00:00Z', body: '' })
  expect(seqs()).toEqual([])
})

test('entries of channels that are no longer readable are removed at once', () => {
  store.dispatch({ type: 'channelRemoved', channelId: LOBBY })
  expect(seqs()).toEqual([])
})

test('reactions that the user has seen are seen in the lists of all filters', async () => {
  const unwatchReactions = activityList.watch('reactions')
  await vi.advanceTimersByTimeAsync(0)
  markActivitySeen('2026-01-01T10:00:00Z')
  for (const filter of ['all', 'reactions'] as const)
    expect(activityList.get(filter)?.summary).toEqual({ seen_at: '2026-01-01T10:00:00Z' })
  expect(server.requests).toEqual(['activity', 'activity', 'mark_activity_seen'])
  unwatchReactions()
})

test('the response to an earlier request does not make seen reactions new again', async () => {
  markActivitySeen('2026-01-01T10:00:00Z')
  const unwatchReactions = activityList.watch('reactions')
  await vi.advanceTimersByTimeAsync(0)
  expect(activityList.get('reactions')?.summary).toEqual({ seen_at: '2026-01-01T10:00:00Z' })
  unwatchReactions()
})
