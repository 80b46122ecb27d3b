import { expect, it } from 'vitest'
import type { ReadAnswer } from '../../../wire/linnet.ts'
import { buildBootstrap, buildEntry, LOBBY } from './buildRows.ts'
import { createPointers } from './pointers.ts'
import { createStore } from './store.ts'
import { NOTHING_KNOWN } from './known.ts'

function world() {
  const store = createStore()
  const entry = buildEntry({ state: { ...buildEntry().state, last_read_seq: 2, read_version: 5 } })
  store.dispatch({ type: 'bootstrapped', answer: buildBootstrap([entry]), known: NOTHING_KNOWN })
  const asked: { args: unknown; answer: (value: ReadAnswer) => void }[] = []
  let now = 0
  let timer: { at: number; run: () => void } | null = null
  const pointers = createPointers(store, {
    call: (_name, args) =>
      new Promise((resolve) => {
        asked.push({ args, answer: (value) => resolve({ ok: true, value } as never) })
      }),
    now: () => now,
    after: (ms, run) => {
      timer = { at: now + ms, run }
      return () => {
        timer = null
      }
    },
  })
  const pass = (ms: number) => {
    now += ms
    const due = timer
    if (due && due.at <= now) {
      timer = null
      due.run()
    }
  }
  const answer = async (applied: boolean, last_read_seq: number, read_version: number) => {
    asked.shift()?.answer({
      channel_id: LOBBY,
      applied,
      state: { ...entry.state, last_read_seq, read_version },
      counts: { unread: 0, mentions: 0 },
    })
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 0)
    })
  }
  return { pointers, asked, pass, answer }
}

it('moves at once, then at most every three seconds, by the version last seen', async () => {
  const { pointers, asked, pass, answer } = world()
  pointers.see(LOBBY, 5)
  pass(0)
  expect(asked[0]?.args).toEqual({ channel: LOBBY, seq: 5, read_version: 5 })
  await answer(true, 5, 6)
  pointers.see(LOBBY, 6)
  pointers.see(LOBBY, 7)
  pass(2_900)
  expect(asked).toEqual([])
  pass(100)
  expect(asked.map((one) => one.args)).toEqual([{ channel: LOBBY, seq: 7, read_version: 6 }])
})

it('says nothing about what is read already, nor beyond the end', () => {
  const { pointers, asked, pass } = world()
  pointers.see(LOBBY, 2)
  pass(3_000)
  expect(asked).toEqual([])
  pointers.see(LOBBY, 999)
  expect(pointers.seenOf(LOBBY)).toBe(10)
})

it('asks again where another device had raised it less, and yields where it was lowered on purpose', async () => {
  const { pointers, asked, pass, answer } = world()
  pointers.see(LOBBY, 8)
  pass(0)
  await answer(false, 4, 6)
  pass(3_000)
  expect(asked[0]?.args).toEqual({ channel: LOBBY, seq: 8, read_version: 6 })
  await answer(false, 1, 7)
  pass(3_000)
  expect(asked).toEqual([])
  expect(pointers.seenOf(LOBBY)).toBe(0)
})

it('leaves what was marked unread alone until the conversation is opened anew', async () => {
  const { pointers, asked, answer, pass } = world()
  const marked = pointers.markUnread(LOBBY, 2)
  await answer(true, 1, 6)
  await marked
  pointers.see(LOBBY, 9)
  pass(3_000)
  expect(asked).toEqual([])
  pointers.opened(LOBBY)
  pointers.see(LOBBY, 9)
  pass(3_000)
  expect(asked).toHaveLength(1)
})
