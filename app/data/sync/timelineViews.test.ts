import { i18n } from '@lingui/core'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Commands, CommandName } from '../../../wire/commands.ts'
import type { ThreadPage, ThreadState } from '../../../wire/threads.ts'
import type { Message } from '../../../wire/messages.ts'
import { success } from '../failures/failures.ts'
import type { Failure, Outcome } from '../failures/failures.ts'
import {
  buildBootstrap,
  buildChannelEntry,
  buildMessage,
  buildThread,
  LOBBY,
} from '../store/buildRows.fixture.ts'
import { EMPTY_SNAPSHOT } from '../store/requestSnapshot.ts'
import { hasAfter, loadedWindow } from '../store/state.ts'
import { createStore } from '../store/store.ts'
import { createTestTimers } from './createTestTimers.fixture.ts'
import type { Ports } from './ports.ts'
import { createTimelineViews } from './timelineViews.ts'

i18n.loadAndActivate({ locale: 'en', messages: {} })
const CHANNEL = { channel: LOBBY, root: null }

/** A channel with `last` messages of others, read up to `read`; the server returns its pages. */
function createFixture(last: number, read: number, source: 'cached' | 'live' = 'live') {
  const store = createStore()
  const requests: Commands['channel_page']['args'][] = []
  let failure: Failure | null = null
  const timers = createTestTimers(0)
  const call = async <N extends CommandName>(
    _name: N,
    args: Commands[N]['args'],
  ): Promise<Outcome<Commands[N]['response']>> => {
    const page = args as Commands['channel_page']['args']
    requests.push(page)
    if (failure) return { ok: false, failure }
    const size = page.limit ?? 50
    let from = last - size + 1
    if (page.around) from = page.around - size / 2
    if (page.before) from = page.before - size
    if (page.after) from = page.after + 1
    const to = Math.min(last, page.before ? page.before - 1 : from + size - 1)
    from = Math.max(1, from)
    const messages = Array.from({ length: to - from + 1 }, (_, index) => buildMessage(from + index))
    const response = {
      channel_id: LOBBY,
      messages,
      has_before: from > 1,
      has_after: to < last,
      epoch: 1,
      rev: last,
    }
    return success(response as Commands[N]['response'])
  }
  const counted = { unread: Math.min(100, last - read), mentions: 0 }
  const base = buildChannelEntry({
    counts: counted,
    counters: { last_seq: last, rev: last, meta_rev: 1, epoch: 1 },
  })
  const mine = { ...base, state: { ...base.state, last_read_seq: read } }
  const server = source === 'live' ? store : createStore()
  server.dispatch({ type: 'bootstrapReceived', response: buildBootstrap([mine]), snapshot: EMPTY_SNAPSHOT })
  if (source === 'cached') store.dispatch({ type: 'cacheRestored', state: server.get() })
  let pendingRead = 0
  const ports = { after: timers.after, random: () => 0 }
  const views = createTimelineViews(store, { call, ...ports }, () => pendingRead)
  const rows = () => store.get().channels.get(LOBBY)!
  const settled = async () => {
    // oxlint-disable-next-line no-await-in-loop -- turn after turn, bounded so that a fault ends
    for (let turn = 0; turn < 500 && views.pendingRequests() > 0; turn += 1) await Promise.resolve()
    expect(views.pendingRequests()).toBe(0)
  }
  const fail = (by: Failure | null = { name: 'not_found', message: 'Gone.', isRetryable: false }) => {
    failure = by
  }
  const readTo = (seq: number) => {
    pendingRead = seq
  }
  return { store, views, requests, rows, settled, fail, readTo, advance: timers.advance }
}

test('opens around the first unread when it is far from the end, with its line', async () => {
  const { views, requests, settled } = createFixture(500, 200)
  views.open(CHANNEL)
  await settled()
  expect(views.get(CHANNEL)).toMatchObject({ unreadLine: 201, anchor: 201 })
  expect(requests).toMatchObject([{ around: 201 }])
})

test('opens at the end when the first unread fits there, and when everything is read', async () => {
  const near = createFixture(500, 480)
  near.views.open(CHANNEL)
  expect(near.views.get(CHANNEL)).toMatchObject({ unreadLine: 481, anchor: 'end' })
  const read = createFixture(500, 500)
  read.views.open(CHANNEL)
  expect(read.views.get(CHANNEL)).toMatchObject({ unreadLine: null, anchor: 'end' })
})

test('opens again at the position where it was closed, with its messages, if nothing is unread', async () => {
  const { views, requests, rows, settled } = createFixture(500, 500)
  views.open(CHANNEL)
  await settled()
  views.jumpTo(CHANNEL, 100)
  await settled()
  views.saveScrollPosition(LOBBY, { id: 'top', number: 100, top: -4 })
  views.close(CHANNEL)
  const before = requests.length
  views.open(CHANNEL)
  expect(views.get(CHANNEL).anchor).toBe(100)
  expect(loadedWindow(rows(), null, 100)).not.toBeNull()
  // The newest messages stay too: for the way down, and for offline.
  expect(loadedWindow(rows(), null, 'end')?.to).toBe(500)
  expect(requests.length).toBe(before)
})

test('a jump before the opening determines the position', () => {
  const { views } = createFixture(500, 200)
  views.jumpTo(CHANNEL, 42)
  views.open(CHANNEL)
  expect(views.get(CHANNEL)).toMatchObject({ anchor: 42, unreadLine: 201 })
})

test('a jump to the end while a page is being fetched is not lost', async () => {
  const { views, rows, settled } = createFixture(500, 200)
  views.open(CHANNEL)
  views.jumpTo(CHANNEL, 'end')
  await settled()
  expect(views.get(CHANNEL)).toMatchObject({ anchor: 'end', loading: false })
  expect(loadedWindow(rows(), null, 'end')?.to).toBe(500)
})

test('the line stays above unread messages, and moves once those are read', async () => {
  const { store, views, readTo } = createFixture(500, 480)
  views.open(CHANNEL)
  store.dispatch({
    type: 'channelEventReceived',
    event: { event: 'rev', payload: { channel_id: LOBBY, rev: 501 } },
  })
  readTo(490)
  views.updateUnreadLine(CHANNEL)
  expect(views.get(CHANNEL).unreadLine).toBe(491)
  views.updateUnreadLine(CHANNEL)
  expect(views.get(CHANNEL).unreadLine).toBe(491)
  readTo(500)
  views.updateUnreadLine(CHANNEL)
  expect(views.get(CHANNEL).unreadLine).toBe(491)
})

test('however far the user scrolls, the loaded range is bounded, and the end is never dropped', async () => {
  const { views, rows, settled } = createFixture(9_000, 9_000)
  views.open(CHANNEL)
  await settled()
  for (let page = 0; page < 60; page += 1) {
    views.loadBefore(CHANNEL)
    // oxlint-disable-next-line no-await-in-loop -- page after page
    await settled()
  }
  const here = loadedWindow(rows(), null, views.get(CHANNEL).anchor)!
  expect(here.from).toBeLessThan(9_000 - 5_000)
  expect(rows().messages.size).toBeLessThan(2_000)
  expect(rows().byNumber.size).toBe(rows().messages.size)
  expect(loadedWindow(rows(), null, 'end')).toMatchObject({ to: 9_000 })
})

test('a failed jump shows the messages that are loaded', async () => {
  const { views, fail, settled } = createFixture(500, 500)
  views.open(CHANNEL)
  await settled()
  fail()
  views.jumpTo(CHANNEL, 20)
  await settled()
  expect(views.get(CHANNEL)).toMatchObject({ anchor: 'end', failure: { name: 'not_found' } })
})

test('a request that failed for lack of a network is repeated with backoff while there is nothing to show', async () => {
  const { views, requests, settled, fail, advance } = createFixture(500, 500)
  const network = { name: 'network', message: 'No network.', isRetryable: true }
  fail(network)
  views.open(CHANNEL)
  await settled()
  expect(views.get(CHANNEL).failure).toEqual(network)
  advance(499)
  expect(requests).toHaveLength(1)
  advance(1)
  await settled()
  expect(requests).toHaveLength(2)
  // The second delay is longer, and another request replaces the repetition.
  advance(999)
  expect(requests).toHaveLength(2)
  fail(null)
  views.jumpTo(CHANNEL, 'end')
  await settled()
  expect(views.get(CHANNEL).failure).toBeNull()
  advance(60_000)
  expect(requests).toHaveLength(3)
})

test('opens at the end, and fetches it, where only older messages are loaded', async () => {
  const { views, requests, settled, rows } = createFixture(500, 500)
  views.jumpTo(CHANNEL, 30)
  await settled()
  views.close(CHANNEL)
  expect(rows().windows.at(-1)?.to).toBeLessThan(500)
  views.open(CHANNEL)
  await settled()
  expect(requests.at(-1)).toEqual({ channel: LOBBY, limit: 50 })
  expect(rows().windows.at(-1)?.to).toBe(500)
})

test('a page that arrives after the conversation was closed is dropped, whether or not it is open again', async () => {
  const { views, requests, rows, settled } = createFixture(500, 200)
  views.open(CHANNEL)
  views.close(CHANNEL)
  views.setUnreadLine(CHANNEL, 7)
  await settled()
  expect([rows().windows, views.get(CHANNEL).unreadLine]).toEqual([[], null])
  views.open(CHANNEL)
  views.close(CHANNEL)
  views.open(CHANNEL)
  expect(requests).toHaveLength(3)
  await settled()
  expect(views.get(CHANNEL).loading).toBe(false)
  expect(rows().windows).toHaveLength(1)
})

const moveMarkerTo = (seq: number) => {
  const base = buildChannelEntry({
    counts: { unread: 100, mentions: 0 },
    counters: { last_seq: 500, rev: 500, meta_rev: 1, epoch: 1 },
  })
  const state = { ...base.state, last_read_seq: seq, read_version: base.state.read_version + 1 }
  const response = buildBootstrap([{ ...base, state }])
  return { type: 'bootstrapReceived' as const, response, snapshot: EMPTY_SNAPSHOT }
}

test('opened with cached rows, it moves to the first message that the server has as unread', async () => {
  const { store, views, rows, settled } = createFixture(500, 497, 'cached')
  views.open(CHANNEL)
  await settled()
  expect(views.get(CHANNEL)).toMatchObject({ unreadLine: 498, anchor: 'end' })
  store.dispatch(moveMarkerTo(350))
  await settled()
  expect(views.get(CHANNEL)).toMatchObject({ unreadLine: 351, anchor: 351, loading: false })
  expect(loadedWindow(rows(), null, 351)).not.toBeNull()
})

test('it does not move once the reader has scrolled', async () => {
  const { store, views, settled } = createFixture(500, 497, 'cached')
  views.open(CHANNEL)
  await settled()
  views.markPlaced(CHANNEL)
  store.dispatch(moveMarkerTo(350))
  await settled()
  expect(views.get(CHANNEL)).toMatchObject({ unreadLine: 351, anchor: 'end' })
})

test('it opens once its channel is loaded', async () => {
  const { store, views, settled } = createFixture(500, 497)
  store.dispatch({ type: 'channelRemoved', channelId: LOBBY })
  views.open(CHANNEL)
  expect(views.get(CHANNEL)).toMatchObject({ unreadLine: null, loading: false })
  store.dispatch(moveMarkerTo(350))
  await settled()
  expect(views.get(CHANNEL)).toMatchObject({ unreadLine: 351, anchor: 351, loading: false })
})

const ROOT = buildMessage(5, { last_thread_seq: 100, reply_count: 100 })
const THREAD = { channel: LOBBY, root: ROOT.id }

function reply(number: number): Message {
  return buildMessage(1000 + number, { seq: null, thread_root: ROOT.id, thread_seq: number, history_seq: 5 })
}

/** A server whose thread has replies 1–100; pages of 20. `served`: the thread state in its pages. */
function threadWorld(known: ThreadState | null, served: ThreadState = known ?? stateOf({})) {
  const store = createStore()
  store.dispatch({
    type: 'bootstrapReceived',
    response: buildBootstrap([buildChannelEntry()], { threads: known ? [known] : [] }),
    snapshot: EMPTY_SNAPSHOT,
  })
  const requests: unknown[] = []
  const call: Ports['call'] = async (_name, args) => {
    const { before, after, around } = args as { before?: number; after?: number; around?: number }
    requests.push({ before, after, around })
    const to = before ? before - 1 : after ? after + 20 : around ? around + 9 : 100
    const from = Math.max(1, to - 19)
    const numbers = Array.from({ length: Math.min(100, to) - from + 1 }, (_, index) => from + index)
    const page: ThreadPage = {
      channel_id: LOBBY,
      root: ROOT,
      state: served,
      messages: numbers.map(reply),
      has_before: from > 1,
      has_after: to < 100,
      epoch: 1,
      rev: 10,
    }
    return { ok: true, value: page } as never
  }
  const views = createTimelineViews(
    store,
    { call, after: createTestTimers(0).after, random: () => 0 },
    () => 0,
  )
  const settled = () => new Promise((resolve) => setTimeout(resolve))
  const rows = () => store.get().channels.get(LOBBY)!
  const window = () => loadedWindow(rows(), ROOT.id, views.get(THREAD).anchor)
  return { store, views, requests, settled, rows, window }
}

function stateOf(change: Partial<ThreadState>): ThreadState {
  const counts = { unread: 0, mentions: 0 }
  return buildThread({ root_id: ROOT.id, follows: true, last_thread_seq: 100, rev: 5, counts, ...change })
}

const UNREAD_FROM_30 = { last_read_thread_seq: 29, counts: { unread: 71, mentions: 0 } }

test('a thread opens at the end if nothing is unread', async () => {
  const { views, settled, window } = threadWorld(stateOf({ last_read_thread_seq: 100 }))
  views.open(THREAD)
  await settled()
  expect(views.get(THREAD)).toMatchObject({ anchor: 'end', unreadLine: null, loading: false })
  expect(window()).toEqual({ from: 81, to: 100 })
})

test('a thread opens at the first unread reply, however far back it is', async () => {
  const { views, settled, window, rows, requests } = threadWorld(stateOf(UNREAD_FROM_30))
  views.open(THREAD)
  await settled()
  expect(requests).toEqual([{ around: 30 }])
  expect(views.get(THREAD)).toMatchObject({ anchor: 30, unreadLine: 30 })
  expect(window()).toEqual({ from: 20, to: 39 })
  expect(hasAfter(rows(), ROOT.id, window()!)).toBe(true)
})

test('a thread whose state is not loaded opens at the read marker of its first page', async () => {
  const { views, settled, requests } = threadWorld(null, stateOf(UNREAD_FROM_30))
  views.open(THREAD)
  await settled()
  expect(requests).toEqual([{}, { around: 30 }])
  expect(views.get(THREAD)).toMatchObject({ anchor: 30, unreadLine: 30 })
})

test('a thread that the reader opens for the first time has no line', async () => {
  const counts = { unread: 100, mentions: 0 }
  const { views, settled } = threadWorld(null, stateOf({ follows: false, last_read_thread_seq: 0, counts }))
  views.open(THREAD)
  await settled()
  expect(views.get(THREAD)).toMatchObject({ anchor: 'end', unreadLine: null })
})

test('a thread that was opened at a reply loads what follows, and jumps to the end', async () => {
  const { views, settled, window, requests } = threadWorld(stateOf({ last_read_thread_seq: 100 }))
  views.open(THREAD, 50)
  await settled()
  expect(window()).toEqual({ from: 40, to: 59 })
  views.loadAfter(THREAD)
  await settled()
  expect(window()).toEqual({ from: 40, to: 79 })
  views.jumpTo(THREAD, 'end')
  await settled()
  expect(requests.at(-1)).toEqual({})
  expect(window()).toEqual({ from: 81, to: 100 })
})

test('a page that arrives after the thread was closed is dropped', async () => {
  const { views, rows, settled } = threadWorld(stateOf({}))
  views.open(THREAD)
  views.close(THREAD)
  views.setUnreadLine(THREAD, 7)
  await settled()
  expect(rows().threads.size).toBe(0)
  expect(views.get(THREAD)).toMatchObject({ unreadLine: null, loading: false })
})

test('a page that can not be applied is a failure, after which the same timeline can be requested again', async () => {
  const { store, views, rows, settled } = createFixture(500, 200)
  const reported = vi.fn()
  vi.stubGlobal('reportError', reported)
  onTestFinished(() => void vi.unstubAllGlobals())
  const unsubscribe = store.subscribe(() => {
    unsubscribe()
    throw new Error('not applied')
  })
  views.open(CHANNEL)
  await settled()
  expect(views.get(CHANNEL)).toMatchObject({ loading: false, failure: { isRetryable: true } })
  expect(reported).toHaveBeenCalledOnce()
  views.fetchMissing(CHANNEL)
  await settled()
  expect(loadedWindow(rows(), null, 201)).not.toBeNull()
})

test('positions of the timelines that were left last are stored, those of others are forgotten', () => {
  const { views } = createFixture(10, 10)
  const position = { id: 'top', number: 1, top: 0 }
  for (let index = 0; index <= 50; index += 1) views.saveScrollPosition(`thread ${index}`, position)
  expect(views.scrollPosition('thread 0')).toBeNull()
  expect(views.scrollPosition('thread 1')).toEqual(position)
  views.saveScrollPosition('thread 1', null)
  expect(views.scrollPosition('thread 1')).toBeNull()
})
