import { expect, it } from 'vitest'
import type { CommandName, ReadAnswer } from '../../../wire/linnet.ts'
import { buildBootstrap, buildEntry, buildThread, LOBBY } from '../store/buildRows.ts'
import type { Deed } from './mutation.ts'
import { NOTHING_KNOWN } from '../store/requestSnapshot.ts'
import { createOutbox } from './outbox.ts'
import { createPointers } from './readMarkers.ts'
import { createStore } from '../store/store.ts'
import { wishesOf } from './optimisticOverlay.ts'

interface Shelf {
  deeds: readonly Deed[]
}

/** Pointers on the outbox, at a home and a clock that do what the test says; the lobby is read to 2, version 5. */
function world(shelf: Shelf = { deeds: [] }) {
  const store = createStore()
  const state = { ...buildEntry().state, last_read_seq: 2, read_version: 5 }
  const answer = buildBootstrap([buildEntry({ state })], { threads: [buildThread()] })
  store.dispatch({ type: 'bootstrapped', answer, known: NOTHING_KNOWN })
  const asked: { name: CommandName; args: unknown; answer: (value: unknown) => void }[] = []
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
        asked.push({ name, args, answer: (value) => resolve({ ok: true, value } as never) })
      }),
    random: () => 0.5,
    shelf: {
      all: async () => shelf.deeds,
      change: async (how) => {
        shelf.deeds = how(shelf.deeds)
        return shelf.deeds
      },
    },
    upload: async () => ({ ok: true, value: undefined }),
    saveOwn: async () => ({ ok: false, failure: { name: 'network', sentence: '', again: true } }),
    abandon: () => {},
    leads: () => true,
    announce: () => {},
  })
  const wishes = () => wishesOf(outbox.deeds(), null)
  const pointers = createPointers(store, outbox, { ...ports, wishes })
  const rest = () =>
    new Promise<void>((resolve) => {
      setTimeout(resolve, 0)
    })
  const pass = async (ms: number) => {
    const until = now + ms
    for (;;) {
      const [due] = timers.filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)
      if (!due) break
      timers = timers.filter((one) => one !== due)
      now = Math.max(now, due.at)
      due.run()
      // oxlint-disable-next-line no-await-in-loop -- one timer after the other
      await rest()
    }
    now = until
    await rest()
  }
  const give = async (applied: boolean, last_read_seq: number, read_version: number) => {
    const value: ReadAnswer = {
      channel_id: LOBBY,
      applied,
      state: { ...state, last_read_seq, read_version },
      counts: { unread: 0, mentions: 0 },
    }
    asked.shift()?.answer(value)
    await rest()
  }
  return { store, outbox, pointers, asked, shelf, pass, give, rest }
}

it('moves soon, then at most every three seconds, by the version last seen', async () => {
  const { pointers, asked, pass, give } = world()
  pointers.see(LOBBY, 5)
  expect(pointers.seenOf(LOBBY)).toBe(5)
  await pass(200)
  expect(asked[0]?.args).toEqual({ channel: LOBBY, seq: 5, read_version: 5 })
  await give(true, 5, 6)
  pointers.see(LOBBY, 6)
  await pass(300)
  pointers.see(LOBBY, 7)
  await pass(2_600)
  expect(asked).toEqual([])
  await pass(100)
  expect(asked.map((one) => one.args)).toEqual([{ channel: LOBBY, seq: 7, read_version: 6 }])
})

it('says nothing about what is read already, nor beyond the end', async () => {
  const { pointers, asked, pass } = world()
  pointers.see(LOBBY, 2)
  await pass(3_000)
  expect(asked).toEqual([])
  pointers.see(LOBBY, 999)
  expect(pointers.seenOf(LOBBY)).toBe(10)
})

it('asks again where another device had raised it less, and yields where it was lowered on purpose', async () => {
  const { pointers, asked, pass, give, outbox } = world()
  pointers.see(LOBBY, 8)
  await pass(200)
  await give(false, 4, 6)
  await pass(3_000)
  expect(asked[0]?.args).toEqual({ channel: LOBBY, seq: 8, read_version: 6 })
  await give(false, 1, 7)
  await pass(3_000)
  expect(asked).toEqual([])
  expect(pointers.seenOf(LOBBY)).toBe(0)
  expect(outbox.deeds()).toEqual([])
})

it('survives the page, and yields to what was marked unread elsewhere meanwhile', async () => {
  const first = world()
  first.pointers.see(LOBBY, 8)
  await first.pass(200)
  first.outbox.stop()
  const second = world(first.shelf)
  await second.outbox.reload()
  expect(second.pointers.seenOf(LOBBY)).toBe(8)
  await second.pass(200)
  expect(second.asked[0]?.args).toEqual({ channel: LOBBY, seq: 8, read_version: 5 })

  const third = world({ deeds: first.shelf.deeds })
  const state = { ...buildEntry().state, last_read_seq: 1, read_version: 6 }
  const channel_id = LOBBY
  third.store.dispatch({
    type: 'userTold',
    event: { event: 'state', payload: { channel_id, state, counts: { unread: 9, mentions: 0 } } },
  })
  await third.outbox.reload()
  await third.pass(200)
  expect(third.asked).toEqual([])
  expect(third.outbox.deeds()).toEqual([])
})

it('shows what was marked unread at once, and leaves it alone until the conversation is opened anew', async () => {
  const { pointers, asked, pass, give } = world()
  await pointers.markUnread(LOBBY, 2)
  expect(pointers.loweredTo(LOBBY)).toBe(1)
  pointers.see(LOBBY, 9)
  await pass(3_000)
  expect(asked.map((one) => one.name)).toEqual(['mark_unread'])
  await give(true, 1, 6)
  expect(pointers.loweredTo(LOBBY)).toBeNull()
  pointers.opened(LOBBY)
  pointers.see(LOBBY, 9)
  await pass(3_000)
  expect(asked.map((one) => one.name)).toEqual(['mark_read'])
})

it('marks unread after what was read is asked, not while it is', async () => {
  const { pointers, asked, pass, give } = world()
  pointers.see(LOBBY, 8)
  await pass(200)
  await pointers.markUnread(LOBBY, 4)
  expect(asked.map((one) => one.name)).toEqual(['mark_read'])
  await give(true, 8, 6)
  expect(asked.map((one) => one.name)).toEqual(['mark_unread'])
})

it('asks at once when the page hides', async () => {
  const { pointers, asked, pass, give, rest } = world()
  pointers.see(LOBBY, 5)
  await pass(200)
  await give(true, 5, 6)
  pointers.see(LOBBY, 6)
  pointers.flush()
  await rest()
  expect(asked.map((one) => one.args)).toEqual([{ channel: LOBBY, seq: 6, read_version: 6 }])
})

it('moves in threads likewise', async () => {
  const { pointers, asked, pass, store, rest, outbox } = world()
  const thread = buildThread()
  pointers.seeThread(LOBBY, thread.root_id, 5)
  await pass(200)
  expect(asked[0]?.args).toEqual({ root: thread.root_id, thread_seq: 5, read_version: 2 })
  const counts = { unread: 0, mentions: 0 }
  const read = { ...thread, last_read_thread_seq: 5, read_version: 3, counts }
  asked.shift()?.answer({ applied: true, thread: read })
  await rest()
  expect(store.get().threads.get(thread.root_id)).toEqual(read)
  await pointers.markThreadUnread(LOBBY, thread.root_id, 4)
  expect(wishesOf(outbox.deeds(), null).thread(read)).toMatchObject({
    last_read_thread_seq: 3,
    counts: { unread: 2 },
  })
})

it('is moved by a page that does not hold the channel, or an older marker of it', async () => {
  const first = world()
  first.outbox.stop()
  first.store.dispatch({
    type: 'readGiven',
    answer: {
      channel_id: LOBBY,
      applied: true,
      state: { ...buildEntry().state, last_read_seq: 4, read_version: 7 },
      counts: { unread: 6, mentions: 0 },
    },
  })
  first.pointers.see(LOBBY, 9)
  await first.pass(200)
  // The leading tab shows the setup screen, or missed that another device moved the marker to 4.
  const [empty, older] = [world({ ...first.shelf }), world({ ...first.shelf })]
  empty.store.clear()
  const bare = buildBootstrap([], { me: null, workspace: null, workspaces: [] })
  empty.store.dispatch({ type: 'bootstrapped', answer: bare, known: NOTHING_KNOWN })
  for (const leading of [empty, older]) {
    await leading.outbox.reload()
    await leading.pass(200)
    expect(leading.asked[0]?.args).toEqual({ channel: LOBBY, seq: 9, read_version: 7 })
    // Moved once more meanwhile: requested again with that version.
    await leading.give(false, 5, 8)
    expect(leading.asked[0]?.args).toEqual({ channel: LOBBY, seq: 9, read_version: 8 })
    await leading.give(true, 9, 9)
    expect(leading.outbox.deeds()).toEqual([])
  }
})
