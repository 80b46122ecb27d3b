import { expect, test } from 'vitest'
import type { ClientSession } from '../session/clientSession.ts'
import { buildChannelEntry, buildMessage, LOBBY } from '../store/buildRows.fixture.ts'
import { emptyState, type ChannelRows } from '../store/state.ts'
import { findLastMessage } from './lastMessages.ts'

/** A session whose channel has `last` messages, of which `loaded` are loaded. */
function sessionWith(last: number, loaded: ReturnType<typeof buildMessage>[]): ClientSession {
  const entry = buildChannelEntry()
  const numbers = loaded.map((message) => message.seq!)
  const rows = {
    entry: { ...entry, counters: { ...entry.counters, last_seq: last } },
    windows: numbers.length > 0 ? [{ from: Math.min(...numbers), to: Math.max(...numbers) }] : [],
    byNumber: new Map(loaded.map((message) => [message.seq!, message.id])),
    messages: new Map(loaded.map((message) => [message.id, message])),
  } as unknown as ChannelRows
  const state = { ...emptyState, channels: new Map([[LOBBY, rows]]) }
  return { store: { get: () => state } } as unknown as ClientSession
}

const deleted = { deleted_at: '2026-01-01T00:00:00Z' }

test('the last message of a loaded conversation is the newest that is not deleted', () => {
  const session = sessionWith(3, [buildMessage(1), buildMessage(2), buildMessage(3, deleted)])
  expect(findLastMessage(session, LOBBY)?.body).toBe('message 2')
})

test('the last message is unknown if a newer one is not loaded, or all loaded ones are deleted', () => {
  expect(findLastMessage(sessionWith(3, [buildMessage(1), buildMessage(2)]), LOBBY)).toBeNull()
  expect(findLastMessage(sessionWith(3, [buildMessage(3, deleted)]), LOBBY)).toBeNull()
  expect(findLastMessage(sessionWith(3, []), LOBBY)).toBeNull()
})
