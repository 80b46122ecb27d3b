import { expect, it } from 'vitest'
import {
  buildBootstrap,
  buildChannelEntry,
  buildMessage,
  buildThread,
  LOBBY,
} from '../store/buildRows.fixture.ts'
import { emptyState, type State } from '../store/state.ts'
import { EMPTY_SNAPSHOT } from '../store/requestSnapshot.ts'
import { createStore } from '../store/store.ts'
import { addWithdrawn, isRead, isWithdrawn } from './watchPush.ts'

const OPENED_AT = 1_000_000
const shown = {
  path: '/',
  channel: LOBBY,
  thread: null,
  reminder: null,
  messages: ['m1', 'm2'],
  read: null,
  seq: 11,
  shownAt: OPENED_AT + 1,
}

/** Rows of a page whose reader has read the channel up to 10, and of which it knows nothing unread. */
function rows(): State {
  const store = createStore()
  const response = buildBootstrap([buildChannelEntry()])
  store.dispatch({ type: 'bootstrapReceived', response, snapshot: EMPTY_SNAPSHOT })
  return store.get()
}

it('a notification has been read once the read marker has reached its message, which may not have arrived here', () => {
  expect(isRead(rows(), shown, OPENED_AT)).toBe(false)
  expect(isRead(rows(), { ...shown, seq: 10 }, OPENED_AT)).toBe(true)
})

it('in a thread the marker of the thread counts', () => {
  const state = buildThread({ last_read_thread_seq: 3 })
  const withThread = { ...rows(), threads: new Map([[state.root_id, state]]) }
  const inThread = { ...shown, thread: state.root_id }
  expect(isRead(withThread, { ...inThread, seq: 3 }, OPENED_AT)).toBe(true)
  expect(isRead(withThread, { ...inThread, seq: 4 }, OPENED_AT)).toBe(false)
  expect(isRead(rows(), { ...inThread, seq: 3 }, OPENED_AT)).toBe(false)
})

it('of a conversation that the page does not know, only what was displayed before the page was opened is closed', () => {
  expect(isRead(emptyState, shown, OPENED_AT)).toBe(false)
  expect(isRead(emptyState, { ...shown, shownAt: OPENED_AT - 1 }, OPENED_AT)).toBe(true)
})

it('a notification is withdrawn with any of its messages, whose deletion or edit was announced or is loaded', () => {
  const withdrawn = new Set<string>()
  const edit = (message_id: string, notifies: boolean) =>
    addWithdrawn(withdrawn, {
      event: 'message_edited',
      payload: { channel_id: LOBBY, message_id, rev: 12, notifies },
    })
  expect(isWithdrawn(rows(), shown, withdrawn)).toBe(false)
  expect(edit('m1', false)).toBe(true)
  expect(isWithdrawn(rows(), shown, withdrawn)).toBe(true)
  expect(edit('m1', true)).toBe(false)
  expect(isWithdrawn(rows(), shown, withdrawn)).toBe(false)
  addWithdrawn(withdrawn, { event: 'message_deleted', payload: { channel_id: LOBBY, message_id: 'm2' } })
  expect(isWithdrawn(rows(), shown, withdrawn)).toBe(true)
  const deleted = buildMessage(11, { deleted_at: '2026-01-01T00:00:00Z' })
  const loaded = rows()
  const lobby = loaded.channels.get(LOBBY)!
  const channels = new Map([[LOBBY, { ...lobby, messages: new Map([[deleted.id, deleted]]) }]])
  expect(isWithdrawn({ channels }, { ...shown, messages: [deleted.id] }, new Set())).toBe(true)
  // One that an earlier version of the app has displayed.
  const { messages: _, ...earlier } = shown
  expect(isWithdrawn(loaded, earlier, withdrawn)).toBe(false)
})
