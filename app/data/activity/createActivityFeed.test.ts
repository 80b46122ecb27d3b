import { expect, it } from 'vitest'
import type { ActivityEntry, ActivityPage } from '../../../wire/activity.ts'
import type { Outcome } from '../failures/failures.ts'
import { buildMessage, LOBBY, ME, OTHER } from '../store/buildRows.fixture.ts'
import { createActivityFeed, type ActivityState } from './createActivityFeed.ts'

const SEEN_AT = '2026-01-01T09:00:00Z'

const entry = (seq: number): ActivityEntry => ({
  kind: 'mention',
  at: '2026-01-01T10:00:00Z',
  message: buildMessage(seq),
  emoji: null,
  profile_id: null,
  thread: null,
})

const reaction = (seq: number, hour: number): ActivityEntry => ({
  ...entry(seq),
  kind: 'reaction',
  at: `2026-01-01T${hour}:00:00Z`,
  emoji: '👍',
  profile_id: OTHER,
})

type Pages = Record<string, Omit<ActivityPage, 'seen_at'> & Partial<ActivityPage>>

/** A server with pages by cursor, whose timers run on demand. */
function createFixture(pages: Pages, failing = false) {
  const requests: (string | null)[] = []
  const marked: string[] = []
  let visible = true
  const timers: (() => void)[] = []
  const states: ActivityState[] = []
  const feed = createActivityFeed(
    {
      fetchPage: async (before): Promise<Outcome<ActivityPage>> => {
        requests.push(before)
        return failing
          ? { ok: false, failure: { name: 'network', message: '', isRetryable: true } }
          : { ok: true, value: { seen_at: SEEN_AT, ...pages[before ?? '']! } }
      },
      me: () => ME,
      findMessage: () => null,
      after: (_ms, run) => {
        timers.push(run)
        return () => {}
      },
      isVisible: () => visible,
      markSeen: (until) => marked.push(until),
    },
    (state) => states.push(state),
  )
  const settle = () =>
    new Promise<void>((resolve) => {
      setTimeout(resolve, 0)
    })
  return {
    feed,
    requests,
    states,
    settle,
    marked,
    setVisible: (on: boolean) => {
      visible = on
    },
    fail: (on: boolean) => {
      failing = on
    },
    runTimers: async () => {
      for (const run of timers.splice(0)) run()
      await settle()
    },
    seqs: () => feed.get().entries.map(({ message }) => message.seq),
  }
}

it('lists pages in order and passes over empty ones', async () => {
  const { feed, seqs, settle, requests } = createFixture({
    '': { entries: [entry(9), entry(8)], before: 'a' },
    a: { entries: [], before: 'b' },
    b: { entries: [entry(8), entry(7)], before: null },
  })
  await settle()
  expect(seqs()).toEqual([9, 8])
  feed.loadMore()
  await settle()
  expect(seqs()).toEqual([9, 8, 7])
  expect(feed.get()).toMatchObject({ before: null, status: 'ready', loading: false })
  feed.loadMore()
  await settle()
  expect(requests).toEqual([null, 'a', 'b'])
})

it('shows a new mention, one request for several events, and removes deleted messages at once', async () => {
  const pages: Pages = { '': { entries: [entry(8)], before: null } }
  const { feed, seqs, settle, runTimers, requests } = createFixture(pages)
  await settle()
  const receive = (seq: number, change: object) =>
    feed.onEvent({
      type: 'channelEventReceived',
      event: {
        event: 'message',
        payload: { channel_id: LOBBY, rev: seq, message: buildMessage(seq, change) },
      },
    })
  receive(9, { body: 'nothing', author_id: OTHER })
  await runTimers()
  expect(requests).toHaveLength(1)
  pages[''] = { entries: [entry(10), entry(8)], before: null }
  receive(10, { body: `<@${ME}>`, author_id: OTHER })
  receive(11, { body: '<!here>', author_id: OTHER })
  await runTimers()
  expect(requests).toHaveLength(2)
  expect(seqs()).toEqual([10, 8])
  receive(8, { deleted_at: '2026-01-01T10:00:00Z', body: '' })
  expect(seqs()).toEqual([10])
})

it('removes what is in a channel that is no longer readable', async () => {
  const { feed, seqs, settle } = createFixture({ '': { entries: [entry(8)], before: null } })
  await settle()
  feed.onEvent({ type: 'channelRemoved', channelId: LOBBY })
  expect(seqs()).toEqual([])
})

it('keeps what is listed when a request fails, and repeats the first one on request', async () => {
  const { feed, seqs, settle, fail } = createFixture({ '': { entries: [entry(8)], before: null } }, true)
  await settle()
  expect(feed.get()).toMatchObject({ status: 'failed' })
  fail(false)
  feed.loadMore()
  await settle()
  expect(seqs()).toEqual([8])
  fail(true)
  feed.refresh()
  await settle()
  expect(feed.get()).toMatchObject({ status: 'ready', failure: { name: 'network' } })
  expect(seqs()).toEqual([8])
})

it('marks reactions as seen once they can be seen, and shows until when they had been', async () => {
  const pages: Pages = { '': { entries: [entry(9), reaction(8, 11), reaction(7, 10)], before: null } }
  const { feed, settle, marked, setVisible } = createFixture(pages)
  setVisible(false)
  await settle()
  expect(marked).toEqual([])
  setVisible(true)
  feed.markSeen()
  feed.markSeen()
  expect(marked).toEqual(['2026-01-01T11:00:00Z'])
  pages[''] = { entries: [reaction(8, 12)], before: null, seen_at: '2026-01-01T11:00:00Z' }
  feed.refresh()
  await settle()
  expect(marked).toEqual(['2026-01-01T11:00:00Z', '2026-01-01T12:00:00Z'])
  expect(feed.get().seenAt).toBe(SEEN_AT)
  feed.stop()
})

it('marks nothing as seen that was, nor without reactions', async () => {
  const seen = createFixture({
    '': { entries: [reaction(8, 10)], before: null, seen_at: '2026-01-01T10:00:00Z' },
  })
  const others = createFixture({ '': { entries: [entry(8)], before: null } })
  await seen.settle()
  await others.settle()
  expect([...seen.marked, ...others.marked]).toEqual([])
})
