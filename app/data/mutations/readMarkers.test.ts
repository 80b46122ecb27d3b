import { expect, it } from 'vitest'
import type { CommandName } from '../../../wire/commands.ts'
import type { ReadStateResponse } from '../../../wire/channels.ts'
import { buildBootstrap, buildChannelEntry, buildThread, LOBBY } from '../store/buildRows.fixture.ts'
import type { Mutation } from './mutation.ts'
import { EMPTY_SNAPSHOT } from '../store/requestSnapshot.ts'
import { createOutbox } from './outbox.ts'
import { createReadMarkers } from './readMarkers.ts'
import { createStore } from '../store/store.ts'
import { createOptimisticUpdates } from './optimisticUpdates.ts'

interface TestStorage {
  mutations: readonly Mutation[]
}

/** Read markers on the outbox, with a server and a clock that the test controls; the lobby is read to 2, version 5. */
function createFixture(storage: TestStorage = { mutations: [] }) {
  const store = createStore()
  const state = { ...buildChannelEntry().state, last_read_seq: 2, read_version: 5 }
  const response = buildBootstrap([buildChannelEntry({ state })], { threads: [buildThread()] })
  store.dispatch({ type: 'bootstrapReceived', response, snapshot: EMPTY_SNAPSHOT })
  const requests: { name: CommandName; args: unknown; respond: (value: unknown) => void }[] = []
  let now = 10_000
  let ids = 0
  let timers: { at: number; run: () => void }[] = []
  const ports = {
    clock: () => now,
    uuid: () => `id ${now} ${(ids += 1)}`,
    after: (ms: number, run: () => void) => {
      const timer = { at: now + ms, run }
      timers.push(timer)
      return () => {
        timers = timers.filter((one) => one !== timer)
      }
    },
  }
  const outbox = createOutbox(store, {
    ...ports,
    call: (name, args) =>
      new Promise((resolve) => {
        requests.push({ name, args, respond: (value) => resolve({ ok: true, value } as never) })
      }),
    random: () => 0.5,
    storage: {
      all: async () => storage.mutations,
      change: async (how) => {
        storage.mutations = how(storage.mutations)
        return storage.mutations
      },
    },
    upload: async () => ({ ok: true, value: undefined }),
    saveDraft: async () => ({ result: 'retry', response: null }),
    saveOwnRow: async () => ({ ok: false, failure: { name: 'network', message: '', isRetryable: true } }),
    abandon: () => {},
    isLeader: () => true,
    announce: () => {},
  })
  const updates = () => createOptimisticUpdates(outbox.mutations(), null)
  const readMarkers = createReadMarkers(store, outbox, { ...ports, updates })
  const settle = () =>
    new Promise<void>((resolve) => {
      setTimeout(resolve, 0)
    })
  const advanceTime = async (ms: number) => {
    const until = now + ms
    for (;;) {
      const [due] = timers.filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)
      if (!due) break
      timers = timers.filter((one) => one !== due)
      now = Math.max(now, due.at)
      due.run()
      // oxlint-disable-next-line no-await-in-loop -- one timer after the other
      await settle()
    }
    now = until
    await settle()
  }
  const respondToRead = async (applied: boolean, last_read_seq: number, read_version: number) => {
    const value: ReadStateResponse = {
      channel_id: LOBBY,
      applied,
      state: { ...state, last_read_seq, read_version },
      counts: { unread: 0, mentions: 0 },
    }
    requests.shift()?.respond(value)
    await settle()
  }
  return {
    store,
    outbox,
    pointers: readMarkers,
    requests,
    storage,
    pass: advanceTime,
    give: respondToRead,
    rest: settle,
  }
}

it('a read marker is sent at once, then at most every three seconds, with the version last received', async () => {
  const { pointers: readMarkers, requests, pass: advanceTime, give: respondToRead } = createFixture()
  readMarkers.markSeen(LOBBY, 5)
  expect(readMarkers.pendingReadSeq(LOBBY)).toBe(5)
  await advanceTime(200)
  expect(requests[0]?.args).toEqual({ channel: LOBBY, seq: 5, read_version: 5 })
  await respondToRead(true, 5, 6)
  readMarkers.markSeen(LOBBY, 6)
  await advanceTime(300)
  readMarkers.markSeen(LOBBY, 7)
  await advanceTime(2_600)
  expect(requests).toEqual([])
  await advanceTime(100)
  expect(requests.map((one) => one.args)).toEqual([{ channel: LOBBY, seq: 7, read_version: 6 }])
})

it('no read marker is sent for messages that are already read, or beyond the last message', async () => {
  const { pointers: readMarkers, requests, pass: advanceTime } = createFixture()
  readMarkers.markSeen(LOBBY, 2)
  await advanceTime(3_000)
  expect(requests).toEqual([])
  readMarkers.markSeen(LOBBY, 999)
  expect(readMarkers.pendingReadSeq(LOBBY)).toBe(10)
})

it('a read marker is sent again if another device moved it less far, and dropped if "mark unread" moved it back', async () => {
  const { pointers: readMarkers, requests, pass: advanceTime, give: respondToRead, outbox } = createFixture()
  readMarkers.markSeen(LOBBY, 8)
  await advanceTime(200)
  await respondToRead(false, 4, 6)
  await advanceTime(3_000)
  expect(requests[0]?.args).toEqual({ channel: LOBBY, seq: 8, read_version: 6 })
  await respondToRead(false, 1, 7)
  await advanceTime(3_000)
  expect(requests).toEqual([])
  expect(readMarkers.pendingReadSeq(LOBBY)).toBe(0)
  expect(outbox.mutations()).toEqual([])
})

it('a stored read marker is sent after a reload, unless "mark unread" was used on another device meanwhile', async () => {
  const first = createFixture()
  first.pointers.markSeen(LOBBY, 8)
  await first.pass(200)
  first.outbox.stop()
  const second = createFixture(first.storage)
  await second.outbox.reload()
  expect(second.pointers.pendingReadSeq(LOBBY)).toBe(8)
  await second.pass(200)
  expect(second.requests[0]?.args).toEqual({ channel: LOBBY, seq: 8, read_version: 5 })

  const third = createFixture({ mutations: first.storage.mutations })
  const state = { ...buildChannelEntry().state, last_read_seq: 1, read_version: 6 }
  const channel_id = LOBBY
  third.store.dispatch({
    type: 'userEventReceived',
    event: { event: 'state', payload: { channel_id, state, counts: { unread: 9, mentions: 0 } } },
  })
  await third.outbox.reload()
  await third.pass(200)
  expect(third.requests).toEqual([])
  expect(third.outbox.mutations()).toEqual([])
})

it('messages marked unread are shown so at once, and stay unread until the conversation is opened again', async () => {
  const { pointers: readMarkers, requests, pass: advanceTime, give: respondToRead } = createFixture()
  await readMarkers.markUnread(LOBBY, 2)
  expect(readMarkers.pendingUnreadSeq(LOBBY)).toBe(1)
  readMarkers.markSeen(LOBBY, 9)
  await advanceTime(3_000)
  expect(requests.map((one) => one.name)).toEqual(['mark_unread'])
  await respondToRead(true, 1, 6)
  expect(readMarkers.pendingUnreadSeq(LOBBY)).toBeNull()
  readMarkers.resumeReading(LOBBY)
  readMarkers.markSeen(LOBBY, 9)
  await advanceTime(3_000)
  expect(requests.map((one) => one.name)).toEqual(['mark_read'])
})

it('sends "mark unread" after the response to a pending read marker', async () => {
  const { pointers: readMarkers, requests, pass: advanceTime, give: respondToRead } = createFixture()
  readMarkers.markSeen(LOBBY, 8)
  await advanceTime(200)
  await readMarkers.markUnread(LOBBY, 4)
  expect(requests.map((one) => one.name)).toEqual(['mark_read'])
  await respondToRead(true, 8, 6)
  expect(requests.map((one) => one.name)).toEqual(['mark_unread'])
})

it('read markers are sent at once when the page is hidden', async () => {
  const {
    pointers: readMarkers,
    requests,
    pass: advanceTime,
    give: respondToRead,
    rest: settle,
  } = createFixture()
  readMarkers.markSeen(LOBBY, 5)
  await advanceTime(200)
  await respondToRead(true, 5, 6)
  readMarkers.markSeen(LOBBY, 6)
  readMarkers.flush()
  await settle()
  expect(requests.map((one) => one.args)).toEqual([{ channel: LOBBY, seq: 6, read_version: 6 }])
})

it('read markers of threads are sent in the same way', async () => {
  const { pointers: readMarkers, requests, pass: advanceTime, store, rest: settle, outbox } = createFixture()
  const thread = buildThread()
  readMarkers.markThreadSeen(LOBBY, thread.root_id, 5)
  await advanceTime(200)
  expect(requests[0]?.args).toEqual({ root: thread.root_id, thread_seq: 5, read_version: 2 })
  const counts = { unread: 0, mentions: 0 }
  const read = { ...thread, last_read_thread_seq: 5, read_version: 3, counts }
  requests.shift()?.respond({ applied: true, thread: read })
  await settle()
  expect(store.get().threads.get(thread.root_id)).toEqual(read)
  await readMarkers.markThreadUnread(LOBBY, thread.root_id, 4)
  expect(createOptimisticUpdates(outbox.mutations(), null).thread(read)).toMatchObject({
    last_read_thread_seq: 3,
    counts: { unread: 2 },
  })
})

it('a read marker is sent by a page that has not loaded the channel, or has an older marker of it', async () => {
  const first = createFixture()
  first.outbox.stop()
  first.store.dispatch({
    type: 'readStateReceived',
    response: {
      channel_id: LOBBY,
      applied: true,
      state: { ...buildChannelEntry().state, last_read_seq: 4, read_version: 7 },
      counts: { unread: 6, mentions: 0 },
    },
  })
  first.pointers.markSeen(LOBBY, 9)
  await first.pass(200)
  // The leading tab shows the setup screen, or missed that another device moved the marker to 4.
  const [empty, older] = [createFixture({ ...first.storage }), createFixture({ ...first.storage })]
  empty.store.clear()
  const bare = buildBootstrap([], { me: null, workspace: null, workspaces: [] })
  empty.store.dispatch({ type: 'bootstrapReceived', response: bare, snapshot: EMPTY_SNAPSHOT })
  for (const leading of [empty, older]) {
    await leading.outbox.reload()
    await leading.pass(200)
    expect(leading.requests[0]?.args).toEqual({ channel: LOBBY, seq: 9, read_version: 7 })
    // Moved once more meanwhile: requested again with that version.
    await leading.give(false, 5, 8)
    expect(leading.requests[0]?.args).toEqual({ channel: LOBBY, seq: 9, read_version: 8 })
    await leading.give(true, 9, 9)
    expect(leading.outbox.mutations()).toEqual([])
  }
})
