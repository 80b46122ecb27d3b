import 'fake-indexeddb/auto'
import { afterEach, expect, it } from 'vitest'
import { draftPlace, forgetDevice, openDevice } from './device.ts'
import type { Device } from './device.ts'
import { apply } from '../sync/apply.ts'
import { buildBootstrap, buildEntry, buildPage, LOBBY, ME } from '../sync/buildRows.ts'
import { baseOf, restoredState, wordsOf } from '../sync/kept.ts'
import type { OutboxItem } from '../sync/outbox.ts'
import { emptyState } from '../sync/state.ts'
import { NOTHING_KNOWN } from '../sync/known.ts'

const item: OutboxItem = {
  id: 'one',
  channel: LOBBY,
  threadRoot: null,
  alsoToChannel: false,
  body: 'hello',
  files: [],
  createdAt: '2026-01-01T00:00:00Z',
  order: 1,
  state: 'pending',
  failure: null,
}
let opened: Device | null = null

afterEach(async () => {
  opened?.close()
  await forgetDevice('test', ME, 'everything')
})

it('clears the draft with the message that it became', async () => {
  opened = await openDevice('test', ME)
  await opened.keepDraft(draftPlace(LOBBY, null), 'hello')
  await opened.keepDraft(draftPlace(LOBBY, 'root'), 'another')
  await opened.shelf.add(item)
  expect(await opened.draft(draftPlace(LOBBY, null))).toBe('')
  expect(await opened.draft(draftPlace(LOBBY, 'root'))).toBe('another')
  expect(await opened.shelf.all()).toEqual([item])
})

it('does not bring back what another page has sent', async () => {
  opened = await openDevice('test', ME)
  await opened.shelf.add(item)
  await opened.shelf.remove(item.id)
  await opened.shelf.update({ ...item, state: 'failed' })
  expect(await opened.shelf.all()).toEqual([])
})

it('shows the words again before the network answers, as old as they are', async () => {
  const state = [
    {
      type: 'bootstrapped' as const,
      answer: buildBootstrap([buildEntry()]),
      known: NOTHING_KNOWN,
    },
    { type: 'pageGiven' as const, page: buildPage(1, 10), asked: {} },
  ].reduce(apply, emptyState)
  const rows = state.channels.get(LOBBY)
  const words = rows ? wordsOf(rows) : null
  opened = await openDevice('test', ME)
  await opened.keep(baseOf(state), words ? [words] : [], [])
  const again = restoredState(await opened.kept())
  expect(again?.source).toBe('cached')
  expect(again?.channels.get(LOBBY)?.messages).toEqual(rows?.messages)
  expect(again?.channels.get(LOBBY)?.rev).toBe(10)
  expect(again?.members).toEqual(state.members)
})

it('lets the words go and keeps what was written when a session ends by itself', async () => {
  opened = await openDevice('test', ME)
  await opened.shelf.add(item)
  await opened.keepDraft('place', 'half a sentence')
  await opened.keep(baseOf(emptyState), [], [])
  await forgetDevice('test', ME, 'words')
  expect(await opened.kept()).toBeNull()
  expect(await opened.shelf.all()).toHaveLength(1)
  await forgetDevice('test', ME, 'everything')
  expect(await opened.shelf.all()).toEqual([])
  expect(await opened.draft('place')).toBe('')
})
