import { expect, it } from 'vitest'
import { buildBootstrap, buildChannelEntry, LOBBY } from '../store/buildRows.fixture.ts'
import { EMPTY_SNAPSHOT } from '../store/requestSnapshot.ts'
import { createStore } from '../store/store.ts'
import { isRead } from './watchPush.ts'

const OPENED_AT = 1_000_000

function isReadAfter(last_read_seq: number, unread: number, shownAt: number, before: number | null): boolean {
  const entry = buildChannelEntry({ counts: { unread, mentions: 0 } })
  const response = buildBootstrap([{ ...entry, state: { ...entry.state, last_read_seq } }])
  const store = createStore()
  store.dispatch({ type: 'bootstrapReceived', response, snapshot: EMPTY_SNAPSHOT })
  const data = { path: '/', channel: LOBBY, thread: null, reminder: null, read: null, shownAt }
  const markers = before === null ? null : new Map([[LOBBY, before]])
  return isRead(store.get(), { tag: LOBBY, data }, OPENED_AT, markers)
}

it('a notification that was displayed before the page was opened has been read if nothing is unread', () => {
  expect(isReadAfter(10, 0, OPENED_AT - 1, null)).toBe(true)
  expect(isReadAfter(9, 1, OPENED_AT - 1, null)).toBe(false)
})

it('a notification that is displayed while the page starts has not: its message may not have arrived here', () => {
  expect(isReadAfter(10, 0, OPENED_AT + 1, null)).toBe(false)
})

it('later a notification has been read once the read marker has moved and nothing is unread', () => {
  expect(isReadAfter(10, 0, OPENED_AT + 1, 10)).toBe(false)
  expect(isReadAfter(11, 0, OPENED_AT + 1, 10)).toBe(true)
  expect(isReadAfter(10, 1, OPENED_AT + 1, 9)).toBe(false)
})
