import { expect, test } from 'vitest'
import type { Commands, CommandName } from '../../../wire/linnet.ts'
import { done } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { buildBootstrap, buildEntry, buildMessage, LOBBY } from '../store/buildRows.ts'
import { EMPTY_SNAPSHOT } from '../store/requestSnapshot.ts'
import { createStore } from '../store/store.ts'
import { createChannelViews, loadedWindow } from './channelViews.ts'

/** A channel of `last` messages of others, read up to `read`; the server answers pages of it. */
function world(last: number, read: number) {
  const store = createStore()
  const requests: Commands['channel_page']['args'][] = []
  let fails = false
  const call = async <N extends CommandName>(
    _name: N,
    args: Commands[N]['args'],
  ): Promise<Outcome<Commands[N]['response']>> => {
    const page = args as Commands['channel_page']['args']
    requests.push(page)
    if (fails) return { ok: false, failure: { name: 'not_found', sentence: 'Gone.', again: false } }
    const size = page.limit ?? 50
    let from = last - size + 1
    if (page.around) from = page.around - size / 2
    if (page.before) from = page.before - size
    if (page.after) from = page.after + 1
    const to = Math.min(last, page.before ? page.before - 1 : from + size - 1)
    from = Math.max(1, from)
    const messages = Array.from({ length: to - from + 1 }, (_, index) => buildMessage(from + index))
    const answer = {
      channel_id: LOBBY,
      messages,
      has_before: from > 1,
      has_after: to < last,
      epoch: 1,
      rev: last,
    }
    return done(answer as Commands[N]['response'])
  }
  const counted = { unread: Math.min(100, last - read), mentions: 0 }
  const base = buildEntry({
    counts: counted,
    counters: { last_seq: last, rev: last, meta_rev: 1, epoch: 1 },
  })
  const mine = { ...base, state: { ...base.state, last_read_seq: read } }
  store.dispatch({ type: 'bootstrapReceived', response: buildBootstrap([mine]), snapshot: EMPTY_SNAPSHOT })
  const views = createChannelViews(store, { call })
  const rows = () => store.get().channels.get(LOBBY)!
  const settled = async () => {
    // oxlint-disable-next-line no-await-in-loop -- turn after turn, bounded so that a fault ends
    for (let turn = 0; turn < 500 && views.pendingRequests() > 0; turn += 1) await Promise.resolve()
    expect(views.pendingRequests()).toBe(0)
  }
  const fail = () => {
    fails = true
  }
  return { store, views, requests, rows, settled, fail }
}

test('opens around the first unread when it is far from the end, with its line', async () => {
  const { views, requests, settled } = world(500, 200)
  views.open(LOBBY)
  await settled()
  expect(views.get(LOBBY)).toMatchObject({ unreadLine: 201, anchor: 201 })
  expect(requests).toMatchObject([{ around: 201 }])
})

test('opens at the end when the first unread fits there, and when everything is read', async () => {
  const near = world(500, 480)
  near.views.open(LOBBY)
  expect(near.views.get(LOBBY)).toMatchObject({ unreadLine: 481, anchor: 'end' })
  const read = world(500, 500)
  read.views.open(LOBBY)
  expect(read.views.get(LOBBY)).toMatchObject({ unreadLine: null, anchor: 'end' })
})

test('coming back finds the place that was left, and its words, unless something is unread', async () => {
  const { views, requests, rows, settled } = world(500, 500)
  views.open(LOBBY)
  await settled()
  views.jumpTo(LOBBY, 100)
  await settled()
  views.saveScrollPosition(LOBBY, 100)
  views.close(LOBBY)
  const before = requests.length
  views.open(LOBBY)
  expect(views.get(LOBBY).anchor).toBe(100)
  expect(loadedWindow(rows(), 100)).not.toBeNull()
  // The newest messages stay too: for the way down, and for offline.
  expect(loadedWindow(rows(), 'end')?.to).toBe(500)
  expect(requests.length).toBe(before)
})

test('a jump that came before the conversation was open stays', () => {
  const { views } = world(500, 200)
  views.jumpTo(LOBBY, 42)
  views.open(LOBBY)
  expect(views.get(LOBBY)).toMatchObject({ anchor: 42, unreadLine: 201 })
})

test('a jump to the end is not lost to the page that was on its way', async () => {
  const { views, rows, settled } = world(500, 200)
  views.open(LOBBY)
  views.jumpTo(LOBBY, 'end')
  await settled()
  expect(views.get(LOBBY)).toMatchObject({ anchor: 'end', loading: false })
  expect(loadedWindow(rows(), 'end')?.to).toBe(500)
})

test('the line stays before what is unread, and goes on once that was read', async () => {
  const { store, views } = world(500, 480)
  views.open(LOBBY)
  store.dispatch({
    type: 'channelEventReceived',
    event: { event: 'rev', payload: { channel_id: LOBBY, rev: 501 } },
  })
  views.updateUnreadLine(LOBBY, 490)
  expect(views.get(LOBBY).unreadLine).toBe(491)
  views.updateUnreadLine(LOBBY, 490)
  expect(views.get(LOBBY).unreadLine).toBe(491)
  views.updateUnreadLine(LOBBY, 500)
  expect(views.get(LOBBY).unreadLine).toBe(491)
})

test('however far the user scrolls, the loaded range is bounded, and the end is never dropped', async () => {
  const { views, rows, settled } = world(9_000, 9_000)
  views.open(LOBBY)
  await settled()
  for (let page = 0; page < 60; page += 1) {
    views.loadBefore(LOBBY)
    // oxlint-disable-next-line no-await-in-loop -- page after page
    await settled()
  }
  const here = loadedWindow(rows(), views.get(LOBBY).anchor)!
  expect(here.from).toBeLessThan(9_000 - 5_000)
  expect(rows().messages.size).toBeLessThan(2_000)
  expect(rows().bySeq.size).toBe(rows().messages.size)
  expect(loadedWindow(rows(), 'end')).toMatchObject({ to: 9_000 })
})

test('a jump that fails leads to what is held, rather than to nothing', async () => {
  const { views, fail, settled } = world(500, 500)
  views.open(LOBBY)
  await settled()
  fail()
  views.jumpTo(LOBBY, 20)
  await settled()
  expect(views.get(LOBBY)).toMatchObject({ anchor: 'end', failure: { name: 'not_found' } })
})

test('opens at the end where only old words are held, once those are known to be whole', async () => {
  const { views, requests, settled, rows } = world(500, 500)
  views.jumpTo(LOBBY, 30)
  await settled()
  views.close(LOBBY)
  expect(rows().windows.at(-1)?.to).toBeLessThan(500)
  views.open(LOBBY)
  await settled()
  expect(requests.at(-1)).toEqual({ channel: LOBBY, limit: 50 })
  expect(rows().windows.at(-1)?.to).toBe(500)
})

test('a page that comes after its conversation was closed is dropped, whether or not it is open again', async () => {
  const { views, requests, rows, settled } = world(500, 200)
  views.open(LOBBY)
  views.close(LOBBY)
  views.setUnreadLine(LOBBY, 7)
  await settled()
  expect([rows().windows, views.get(LOBBY).unreadLine]).toEqual([[], null])
  views.open(LOBBY)
  views.close(LOBBY)
  views.open(LOBBY)
  expect(requests).toHaveLength(3)
  await settled()
  expect(views.get(LOBBY).loading).toBe(false)
  expect(rows().windows).toHaveLength(1)
})
