import { i18n } from '@lingui/core'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { UserEvent } from '../../../../wire/events.ts'
import type { Reminder } from '../../../../wire/messages.ts'
import type { MessageNotification } from '../../../../wire/notifications.ts'
import type { Mutation } from '../../../data/mutations/mutation.ts'
import { sessionEmitter, type ClientSession } from '../../../data/session/clientSession.ts'
import { buildBootstrap, buildChannelEntry, buildProfile, ME } from '../../../data/store/buildRows.fixture.ts'
import { EMPTY_SNAPSHOT } from '../../../data/store/requestSnapshot.ts'
import { createStore } from '../../../data/store/store.ts'
import { createDesktopNotifications } from './createDesktopNotifications.ts'

const ELSEWHERE = '30000000-0000-4000-8000-000000000002'

const due: Reminder = {
  id: 'r1',
  text: 'Water the plants',
  message_id: null,
  channel_id: null,
  due_at: '2026-01-02T09:00:00+00:00',
  time_zone: 'UTC',
  repeats: 'daily',
  reminded_at: '2026-01-01T09:00:00+00:00',
  rev: 1,
}

/** A page, and what it displays. */
function openPage(change: Partial<ReturnType<typeof buildProfile>> = {}, earlier: readonly UserEvent[] = []) {
  const shown: { title: string; body: string; closed: boolean }[] = []
  class TestNotification extends EventTarget {
    static readonly permission = 'granted'
    private readonly entry: (typeof shown)[number]
    constructor(title: string, { body = '' }: { body?: string }) {
      super()
      this.entry = { title, body, closed: false }
      shown.push(this.entry)
    }
    close() {
      this.entry.closed = true
    }
  }
  vi.stubGlobal('Notification', TestNotification)
  const page = new EventTarget()
  for (const name of ['addEventListener', 'removeEventListener'] as const)
    vi.stubGlobal(name, page[name].bind(page))
  const store = createStore()
  const bootstrap = buildBootstrap([])
  const me = { ...bootstrap.me!, profile: { ...buildProfile(ME, 'Me'), ...change } }
  store.dispatch({
    type: 'bootstrapReceived',
    response: { ...bootstrap, me, workspaces: [...bootstrap.workspaces, { id: ELSEWHERE, name: 'Choir' }] },
    snapshot: EMPTY_SNAPSHOT,
  })
  const receive = (row: Reminder) => {
    store.dispatch({ type: 'ownRowReceived', kind: 'reminders', id: row.id, row })
    sessionEmitter.emit()
  }
  const stored: Partial<Mutation>[] = []
  const session = { store, outbox: { storedMutations: () => stored } } as unknown as ClientSession
  const desktop = createDesktopNotifications(session, () => {}, earlier)
  return { shown, receive, desktop, store, stored }
}

beforeAll(() => i18n.loadAndActivate({ locale: 'en', locales: ['en'], messages: {} }))
afterEach(() => vi.unstubAllGlobals())

test('a reminder is displayed until it is completed on any device', () => {
  const { shown, receive, desktop } = openPage()
  receive(due)
  desktop.remind(due)
  expect(shown).toEqual([{ title: 'Reminder', body: 'Water the plants', closed: false }])
  receive({ ...due, text: 'Water all plants', rev: 2 })
  expect(shown[0]?.closed).toBe(false)
  receive({ ...due, reminded_at: null, rev: 3 })
  expect(shown[0]?.closed).toBe(true)
  desktop.stop()
})

const message: MessageNotification = {
  id: 'm1',
  workspace_id: ELSEWHERE,
  channel_id: 'c1',
  seq: 7,
  thread_root: null,
  thread_seq: null,
  title: '#general',
  author: 'Ann',
  body: 'Bring **the scores**',
  created_at: '2026-01-01T09:00:00+00:00',
  decision: 'desktop',
}

test('a message of another workspace is displayed with its name until it is read', () => {
  const { shown, desktop, store } = openPage()
  desktop.show([message])
  expect(shown).toEqual([{ title: '#general · Choir', body: 'Ann: Bring the scores', closed: false }])
  const { state, counts } = buildChannelEntry()
  const read = (last_read_seq: number) =>
    store.dispatch({
      type: 'userEventReceived',
      event: { event: 'state', payload: { channel_id: 'c1', state: { ...state, last_read_seq }, counts } },
    })
  read(6)
  expect(shown[0]?.closed).toBe(false)
  read(7)
  expect(shown[0]?.closed).toBe(true)
  desktop.show([message])
  expect(shown).toHaveLength(1)
  desktop.stop()
})

test('a message of another workspace is not displayed after it was read there, also before this one was opened', () => {
  const { state, counts } = buildChannelEntry()
  const readTo = (last_read_seq: number): UserEvent => ({
    event: 'state',
    payload: { channel_id: 'c1', state: { ...state, last_read_seq }, counts },
  })
  const { shown, desktop, stored } = openPage({}, [readTo(6)])
  // The marker waits in the outbox, which is that of the account.
  stored.push({ kind: 'read', channel: 'c1', seq: 7 })
  desktop.show([message])
  const reply = { ...message, thread_root: 'r1', thread_seq: 2 }
  desktop.show([reply])
  stored.push({ kind: 'readThread', channel: 'c1', root: 'r1', seq: 2 })
  desktop.show([{ ...reply, seq: null }])
  expect(shown).toEqual([])
  stored.length = 0
  desktop.show([{ ...message, id: 'm0', seq: 6 }])
  expect(shown).toEqual([])
  desktop.show([message])
  expect(shown).toHaveLength(1)
  desktop.stop()
})

test('a message of another workspace disappears when it is deleted, even before it is displayed', () => {
  const { shown, desktop, store } = openPage()
  const remove = (message_id: string) =>
    store.dispatch({
      type: 'userEventReceived',
      event: { event: 'message_deleted', payload: { channel_id: 'c1', message_id } },
    })
  desktop.show([message])
  remove('m0')
  expect(shown[0]?.closed).toBe(false)
  remove('m1')
  expect(shown[0]?.closed).toBe(true)
  remove('m2')
  desktop.show([{ ...message, id: 'm2', seq: 8 }])
  expect(shown).toHaveLength(1)
  desktop.show([{ ...message, id: 'm3', seq: 9, body: 'At eight' }])
  expect(shown[1]).toEqual({ title: '#general · Choir', body: 'Ann: At eight', closed: false })
  desktop.stop()
})

test('a message disappears when an edit removes its mention, and is displayed after another one adds it', () => {
  const { shown, desktop, store } = openPage()
  const edit = (notifies: boolean) =>
    store.dispatch({
      type: 'userEventReceived',
      event: { event: 'message_edited', payload: { channel_id: 'c1', message_id: 'm1', rev: 9, notifies } },
    })
  desktop.show([message])
  edit(true)
  expect(shown[0]?.closed).toBe(false)
  edit(false)
  expect(shown[0]?.closed).toBe(true)
  desktop.show([message])
  expect(shown).toHaveLength(1)
  edit(true)
  desktop.show([message])
  expect(shown).toHaveLength(2)
  desktop.stop()
})

test('a device that hides content shows only that a reminder is due', () => {
  vi.stubGlobal('localStorage', { getItem: () => '{"hidesContent":true}' })
  const { shown, receive, desktop } = openPage()
  receive(due)
  desktop.remind(due)
  expect(shown).toMatchObject([{ title: 'Reminder', body: 'A reminder is due.' }])
  desktop.stop()
})

test('a reminder is not displayed to somebody who does not want to be disturbed', () => {
  const { shown, receive, desktop } = openPage({ presence: 'dnd', presence_until: null })
  receive(due)
  desktop.remind(due)
  expect(shown).toEqual([])
  desktop.stop()
})
