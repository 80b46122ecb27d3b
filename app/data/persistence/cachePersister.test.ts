import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Message } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { buildBootstrap, buildChannelEntry, buildMessage, buildPage } from '../store/buildRows.fixture.ts'
import { EMPTY_SNAPSHOT } from '../store/requestSnapshot.ts'
import type { CachedMessages } from './cachedRows.ts'
import { createStore } from '../store/store.ts'
import { createCachePersister } from './cachePersister.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const after = (ms: number, run: () => void) => {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

/** A device storage that the test can read, and a store with the messages of these channels. */
function createFixture(ids: Uuid[], body = 'hello', before: CachedMessages[] = []) {
  const store = createStore()
  const stored = new Map(before.map((one) => [one.id, one]))
  const opened: Uuid[] = []
  const entries = ids.map((id) => buildChannelEntry({ channel: { ...buildChannelEntry().channel, id } }))
  store.dispatch({ type: 'bootstrapReceived', response: buildBootstrap(entries), snapshot: EMPTY_SNAPSHOT })
  const device = {
    writeCache: async (
      _base: unknown,
      messages: CachedMessages[],
      dropped: readonly Uuid[],
      stale: ReadonlyMap<Uuid, number>,
    ) => {
      for (const id of dropped) stored.delete(id)
      for (const one of messages) if ((stored.get(one.id)?.rev ?? 0) <= one.rev) stored.set(one.id, one)
      for (const [id, rev] of stale) if ((stored.get(id)?.rev ?? rev) < rev) stored.delete(id)
    },
  }
  const persister = createCachePersister(store, device, before, after, () => opened)
  const read = (id: Uuid, count = 60) => {
    const messages: Message[] = Array.from({ length: count }, (_, index) =>
      buildMessage(index + 1, { id: `${id} ${index}`, channel_id: id, body }),
    )
    store.dispatch({
      type: 'pageReceived',
      page: buildPage(1, count, { channel_id: id, messages }),
      request: {},
    })
  }
  return {
    store,
    kept: stored,
    opened,
    persister,
    read,
    size: () => [...stored.values()].reduce((sum, one) => sum + one.size, 0),
  }
}

const channels = (count: number) => Array.from({ length: count }, (_, index) => `channel ${index}`)

it('stores the channels used last, and evicts those used longest ago first', async () => {
  const ids = channels(40)
  const { opened, read, kept: stored, persister } = createFixture(ids)
  for (const id of ids) {
    read(id)
    opened.unshift(id)
  }
  await vi.advanceTimersByTimeAsync(1_500)
  expect([...stored.keys()].sort()).toEqual(ids.slice(10).sort())
  persister.stop()
})

it('stores a few megabytes at most, and of long messages the newest', async () => {
  const ids = channels(25)
  const { opened, read, kept: stored, size, persister } = createFixture(ids, 'x'.repeat(18_000))
  for (const id of ids) {
    read(id)
    opened.unshift(id)
  }
  await vi.advanceTimersByTimeAsync(1_500)
  expect(size()).toBeLessThanOrEqual(4_000_000)
  expect(stored.has('channel 24')).toBe(true)
  expect(stored.has('channel 0')).toBe(false)
  const words = stored.get('channel 24')
  expect(words?.messages.at(-1)?.seq).toBe(60)
  expect(words?.messages).toHaveLength((words?.window.to ?? 0) - (words?.window.from ?? 0) + 1)
  persister.stop()
})

it('deletes the messages of a channel at once when it is no longer readable', async () => {
  const { read, kept: stored, persister, store } = createFixture(['one', 'two'])
  read('one')
  read('two')
  await vi.advanceTimersByTimeAsync(1_500)
  expect([...stored.keys()]).toEqual(['one', 'two'])
  store.dispatch({
    type: 'userEventReceived',
    event: { event: 'membership', payload: { channel_id: 'one', entry: null } },
  })
  await vi.advanceTimersByTimeAsync(0)
  expect([...stored.keys()]).toEqual(['two'])
  persister.stop()
})

it('deletes messages that an earlier visit stored of a channel that is no longer readable', async () => {
  const first = createFixture(['one', 'gone'])
  first.read('one')
  first.read('gone')
  await vi.advanceTimersByTimeAsync(1_500)
  first.persister.stop()
  const { kept: stored, persister } = createFixture(['one'], 'hello', [...first.kept.values()])
  persister.flush()
  await vi.advanceTimersByTimeAsync(0)
  expect([...stored.keys()]).toEqual(['one'])
  persister.stop()
})

it('deletes messages that another tab stored if they may have been deleted', async () => {
  const { kept: stored, persister, store } = createFixture(['one'])
  await vi.advanceTimersByTimeAsync(1_500)
  const other = { id: 'one', rev: 10, window: { from: 1, to: 1 }, first: 1, messages: [], size: 2, usedAt: 0 }
  stored.set('one', other)
  const receiveHeartbeat = (rev: number) =>
    store.dispatch({
      type: 'channelEventReceived',
      event: { event: 'rev', payload: { channel_id: 'one', rev } },
    })
  receiveHeartbeat(11)
  await vi.advanceTimersByTimeAsync(1_500)
  expect([...stored.keys()]).toEqual([])
  // What the other tab has caught up with stays.
  receiveHeartbeat(12)
  stored.set('one', { ...other, rev: 12 })
  await vi.advanceTimersByTimeAsync(1_500)
  expect([...stored.keys()]).toEqual(['one'])
  persister.stop()
})

it('deletes stored messages of a server that was restored from a backup', async () => {
  const { kept: stored, persister, store, read } = createFixture(['one'])
  read('one', 10)
  await vi.advanceTimersByTimeAsync(1_500)
  expect(stored.get('one')?.rev).toBe(10)
  const entry = buildChannelEntry({
    channel: { ...buildChannelEntry().channel, id: 'one' },
    counters: { last_seq: 3, rev: 3, meta_rev: 1, epoch: 1 },
  })
  store.dispatch({
    type: 'channelReset',
    entry,
    page: buildPage(1, 3, { channel_id: 'one', rev: 3 }),
    request: {},
    revBefore: 10,
  })
  await vi.advanceTimersByTimeAsync(1_500)
  expect(stored.get('one')?.rev).toBe(3)
  persister.stop()
})
