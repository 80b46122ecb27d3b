import { describe, expect, it } from 'vitest'
import type { ThreadState } from '../../../wire/threads.ts'
import type { Message } from '../../../wire/messages.ts'
import { applyEvent } from './applyEvent.ts'
import {
  buildBootstrap,
  buildChannelEntry,
  buildHeartbeat,
  buildMessage,
  buildPage,
  buildThread,
  LOBBY,
  ME,
} from './buildRows.fixture.ts'
import type { SyncEvent } from './syncEvents.ts'
import { takeSnapshot, EMPTY_SNAPSHOT } from './requestSnapshot.ts'
import { emptyState } from './state.ts'
import type { State } from './state.ts'

const ROOT = buildMessage(3).id
const start = (threads: ThreadState[] = [buildThread()]): State =>
  [
    {
      type: 'bootstrapReceived' as const,
      response: buildBootstrap([buildChannelEntry()], { threads }),
      snapshot: EMPTY_SNAPSHOT,
    },
    { type: 'pageReceived' as const, page: buildPage(1, 10), request: {} },
  ].reduce(applyEvent, emptyState)
const after = (state: State, ...events: SyncEvent[]) => events.reduce(applyEvent, state)
const counts = (state: State) => state.threads.get(ROOT)?.counts

const reply = (number: number, rev: number, change: Partial<Message> = {}) =>
  buildMessage(100 + number, {
    seq: null,
    history_seq: 3,
    thread_root: ROOT,
    thread_seq: number,
    rev,
    ...change,
  })
const root = (last: number, rev: number) => buildMessage(3, { rev, last_thread_seq: last })
const received = (message: Message): SyncEvent => ({
  type: 'channelEventReceived',
  event: { event: 'message', payload: { channel_id: LOBBY, rev: message.rev, message } },
})
const poked = (number: number, rev: number, mention = false, root_id = ROOT): SyncEvent => ({
  type: 'userEventReceived',
  event: {
    event: 'reply',
    payload: { channel_id: LOBBY, root_id, thread_seq: number, rev, mention },
  },
})
const given = (change: Partial<ThreadState>): SyncEvent => ({
  type: 'threadStateReceived',
  thread: buildThread(change),
})
const beat = (state: State, threads: ThreadState[], rev = 10): SyncEvent => {
  const entry = buildChannelEntry({ counters: { last_seq: 10, rev, meta_rev: 1, epoch: 1 } })
  return {
    type: 'heartbeatReceived',
    heartbeat: buildHeartbeat([entry], { threads }),
    snapshot: takeSnapshot(state),
  }
}

describe('a reply', () => {
  it('counts a reply once, in whichever order its message, its root and the reply event arrive', () => {
    const events = [received(reply(6, 11)), received(root(6, 12)), poked(6, 11)]
    const orders = [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ]
    for (const order of orders) {
      const state = order.reduce((one, index) => applyEvent(one, events[index] as SyncEvent), start())
      expect([order, counts(state), state.staleThreads.size]).toEqual([order, { unread: 3, mentions: 0 }, 0])
    }
  })

  it('of oneself, deleted, or read already counts nothing', () => {
    expect(counts(after(start(), received(reply(6, 11, { author_id: ME }))))).toEqual({
      unread: 2,
      mentions: 0,
    })
    const deleted = reply(6, 11, { body: '', deleted_at: '2026-01-01T00:00:00Z' })
    expect(counts(after(start(), received(deleted)))).toEqual({ unread: 2, mentions: 0 })
    const read = start([buildThread({ last_read_thread_seq: 6, counts: { unread: 0, mentions: 0 } })])
    expect(counts(after(read, received(reply(6, 11))))).toEqual({ unread: 0, mentions: 0 })
  })

  it('of the user moves the read marker, which is fetched unless an event contains it', () => {
    const own = received(reply(6, 11, { author_id: ME }))
    const answered = after(start(), own)
    expect(answered.staleThreads.get(ROOT)?.last).toBe(6)
    const moved = given({ read_version: 3, rev: 11, last_thread_seq: 6, last_read_thread_seq: 6 })
    expect(after(answered, moved).staleThreads.size).toBe(0)
    expect(after(start(), moved, own).staleThreads.size).toBe(0)
  })

  it('calls its reader', () => {
    expect(counts(after(start(), poked(6, 11, true)))).toEqual({ unread: 3, mentions: 1 })
    expect(counts(after(start(), received(reply(6, 11, { body: `<@${ME}>` }))))).toEqual({
      unread: 3,
      mentions: 1,
    })
  })

  it('beyond the next one makes the state stale, until the response', () => {
    const state = after(start(), poked(8, 15))
    expect(counts(state)).toEqual({ unread: 2, mentions: 0 })
    expect(state.staleThreads.get(ROOT)?.last).toBe(8)
    const requested = new Map([[ROOT, 8]])
    const response = buildThread({ last_thread_seq: 8, rev: 15, counts: { unread: 5, mentions: 0 } })
    const settled = after(state, {
      type: 'threadStatesReceived',
      threads: [response],
      requested,
      snapshot: EMPTY_SNAPSHOT,
    })
    expect(settled.staleThreads.size).toBe(0)
    expect(counts(settled)).toEqual({ unread: 5, mentions: 0 })
  })

  it('in an unknown thread makes it stale; a response without it removes that', () => {
    const state = after(start([]), poked(1, 11))
    expect(state.staleThreads.get(ROOT)?.last).toBe(1)
    const silent = after(state, {
      type: 'threadStatesReceived',
      threads: [],
      requested: new Map([[ROOT, 1]]),
      snapshot: EMPTY_SNAPSHOT,
    })
    expect([silent.staleThreads.size, silent.threads.size]).toEqual([0, 0])
    // A later reply that came while it was asked stays stale.
    const later = after(state, poked(2, 12), {
      type: 'threadStatesReceived',
      threads: [buildThread({ last_thread_seq: 1, rev: 11 })],
      requested: new Map([[ROOT, 1]]),
      snapshot: EMPTY_SNAPSHOT,
    })
    expect(later.staleThreads.get(ROOT)?.last).toBe(2)
  })
})

describe('a thread state', () => {
  it('that was overtaken brings nothing back', () => {
    const read = after(start(), given({ read_version: 3, counts: { unread: 0, mentions: 0 } }))
    expect(counts(after(read, given({ read_version: 2 })))).toEqual({ unread: 0, mentions: 0 })
    const counted = after(start(), received(reply(6, 11)))
    expect(counts(after(counted, given({ rev: 10 })))).toEqual({ unread: 3, mentions: 0 })
  })

  it('is stale after it moved while replies arrived', () => {
    const counted = after(start(), received(reply(6, 11)))
    const state = after(counted, given({ read_version: 3, rev: 10, counts: { unread: 0, mentions: 0 } }))
    expect(state.staleThreads.get(ROOT)?.last).toBe(6)
  })

  it('is removed with its channel', () => {
    const gone = after(start(), poked(8, 15), { type: 'channelRemoved', channelId: LOBBY })
    expect([gone.threads.size, gone.staleThreads.size]).toEqual([0, 0])
    expect(after(gone, given({})).threads.size).toBe(0)
  })
})

describe('the list of what is unread', () => {
  it('marks everything else as read, and the read marker has to be fetched', () => {
    const state = start()
    const read = after(state, beat(state, []))
    expect(counts(read)).toEqual({ unread: 0, mentions: 0 })
    expect(read.staleThreads.has(ROOT)).toBe(true)
    const response = buildThread({
      read_version: 3,
      last_read_thread_seq: 5,
      counts: { unread: 0, mentions: 0 },
    })
    const settled = after(read, {
      type: 'threadStatesReceived',
      threads: [response],
      requested: new Map([[ROOT, 5]]),
      snapshot: takeSnapshot(read),
    })
    expect([settled.threads.get(ROOT), settled.staleThreads.size]).toEqual([response, 0])
  })

  it('of a bootstrap makes those that it lacks stale', () => {
    const read = buildThread({ last_read_thread_seq: 5, counts: { unread: 0, mentions: 0 } })
    const state = start([read])
    const anew = (threads: ThreadState[]) =>
      after(state, {
        type: 'bootstrapReceived',
        response: buildBootstrap([buildChannelEntry()], { threads }),
        snapshot: takeSnapshot(state),
      })
    expect([...anew([]).staleThreads.keys()]).toEqual([ROOT])
    expect(anew([buildThread()]).staleThreads.size).toBe(0)
  })

  it('is replaced by that of a server restored from a backup', () => {
    const state = start([buildThread({ read_version: 3, last_read_thread_seq: 5 })])
    const copy = buildThread({ read_version: 1, last_read_thread_seq: 1 })
    expect(after(state, beat(state, [copy])).threads.get(ROOT)).toEqual(copy)
    const requested = new Map([[ROOT, 5]])
    const response: SyncEvent = {
      type: 'threadStatesReceived',
      threads: [copy],
      requested,
      snapshot: takeSnapshot(state),
    }
    expect(after(state, response).threads.get(ROOT)).toEqual(copy)
  })

  it('does not apply to replies received during the request', () => {
    const before = start()
    const counted = after(before, received(reply(6, 11)))
    expect(counts(after(counted, beat(before, [])))).toEqual({ unread: 3, mentions: 0 })
    const unread = after(before, given({ read_version: 3, counts: { unread: 4, mentions: 0 } }))
    expect(counts(after(unread, beat(before, [])))).toEqual({ unread: 4, mentions: 0 })
  })

  it('does not change what is older than its end when it is full', () => {
    const state = start([buildThread({ last_reply_at: '2026-01-01T00:00:00Z' })])
    const full = Array.from({ length: 100 }, (_, index) =>
      buildThread({ root_id: `root ${index}`, last_reply_at: '2026-02-01T00:00:00Z' }),
    )
    expect(counts(after(state, beat(state, full)))).toEqual({ unread: 2, mentions: 0 })
  })
})

it('the inbox loads the last replies like a page of the thread', () => {
  const thread = buildThread({ rev: 10 })
  const replies = [4, 5].map((number) => reply(number, number))
  const inbox = { threads: [{ state: thread, root: root(5, 10), replies }], before: null }
  const state = after(start([]), { type: 'inboxReceived', inbox })
  const rows = state.channels.get(LOBBY)?.threads.get(ROOT)
  expect(rows?.windows).toEqual([{ from: 4, to: 5 }])
  expect(state.threads.get(ROOT)).toEqual(thread)
})

it('the inbox lacks deleted replies, and replies before such a gap are not loaded', () => {
  const replies = [3, 5].map((number) => reply(number, number))
  const inbox = { threads: [{ state: buildThread({ rev: 10 }), root: root(5, 10), replies }], before: null }
  const rows = after(start([]), { type: 'inboxReceived', inbox }).channels.get(LOBBY)
  expect(rows?.threads.get(ROOT)?.windows).toEqual([{ from: 5, to: 5 }])
})

it('sections are sorted, and those of another workspace are ignored', () => {
  const one = { id: 'one', name: 'One', position: 2, collapsed: false, rev: 0 }
  const two = { id: 'two', name: 'Two', position: 1, collapsed: false, rev: 0 }
  const sectionsChanged = (workspace_id: string): SyncEvent => ({
    type: 'userEventReceived',
    event: { event: 'sections', payload: { workspace_id, sections: [one, two] } },
  })
  const here = start().workspace?.id ?? ''
  expect(after(start(), sectionsChanged(here)).sections).toEqual([two, one])
  expect(after(start(), sectionsChanged('elsewhere')).sections).toEqual([])
})

describe('places in threads', () => {
  it('are bounded: those that are read and shown nowhere go first', () => {
    const place = (at: number, unread: number) =>
      given({ root_id: `thread ${at}`, counts: { unread, mentions: 0 } })
    const places = Array.from({ length: 1_000 }, (_, at) => place(at, at < 5 ? 1 : 0))
    const state = after(start([]), ...places)
    expect(state.threads.size).toBeLessThanOrEqual(400)
    expect([...state.threads.values()].filter((one) => one.counts.unread > 0)).toHaveLength(5)
    expect(state.threads.has('thread 999')).toBe(true)
    // A state that was evicted and changes is requested.
    const moved = after(state, poked(9, 20, false, 'thread 7'))
    expect(moved.staleThreads.get('thread 7')?.last).toBe(9)
  })
})
