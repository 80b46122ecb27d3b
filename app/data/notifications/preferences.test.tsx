// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { act, useEffect } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { NotificationPreferences } from '../../../wire/notifications.ts'
import { createFailure, success, type Outcome } from '../failures/failures.ts'
import { changeOptimisticUpdates } from '../mutations/currentOptimisticUpdates.ts'
import { createTestOutbox, rejection } from '../mutations/createTestOutbox.fixture.ts'
import type { QueryResult } from '../queries/useQuery.ts'
import { sessionEmitter, setClientSession, type ClientSession } from '../session/clientSession.ts'
import {
  currentNotificationPreferences,
  DEFAULT_PREFERENCES,
  setNotificationPreferences,
  useNotificationPreferences,
} from './preferences.ts'

const { fetches } = vi.hoisted(() => ({ fetches: [] as ((outcome: unknown) => void)[] }))
vi.mock(
  import('../client/runQuery.ts'),
  () => ({ runQuery: () => new Promise((resolve) => fetches.push(resolve)) }) as never,
)

let root: Root
let shown: QueryResult<NotificationPreferences>
let fixture: ReturnType<typeof createTestOutbox>

beforeEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  i18n.loadAndActivate({ locale: 'en', locales: ['en'], messages: {} })
  fixture = createTestOutbox()
  const { outbox, store } = fixture
  outbox.subscribe(() => {
    changeOptimisticUpdates(outbox.mutations())
    sessionEmitter.emit()
  })
  setClientSession({ store, outbox, isLive: () => true } as unknown as ClientSession)
  root = createRoot(document.createElement('main'))
})

afterEach(() => {
  act(() => root.unmount())
  setClientSession(null)
  changeOptimisticUpdates([])
  fetches.length = 0
})

function Pane() {
  const preferences = useNotificationPreferences()
  useEffect(() => {
    shown = preferences
  })
  return null
}

const show = async (stored: Partial<NotificationPreferences>) => {
  await act(async () => root.render(<Pane />))
  await respond(success([{ ...DEFAULT_PREFERENCES, ...stored }]))
}
const respond = (outcome: Outcome<unknown>) => act(async () => fetches.shift()?.(outcome))
const change = (changed: Partial<NotificationPreferences>) =>
  act(async () => {
    await setNotificationPreferences(changed)
    await fixture.settle()
  })
const save = (result: typeof fixture.save.result) =>
  act(async () => {
    fixture.save.result = result
    await fixture.advanceTime(60_000)
  })

test('a change is displayed while the server can not be reached, and the stored row replaces it without a flash', async () => {
  await show({ keywords: ['tide'] })
  expect(shown.value).toMatchObject({ level: 'mentions', keywords: ['tide'] })
  await change({ level: 'all' })
  await change({ mail: false })
  expect(shown.value).toMatchObject({ level: 'all', keywords: ['tide'], mail: false })
  expect(currentNotificationPreferences()).toEqual(shown.value)
  const levels: (string | undefined)[] = []
  const unsubscribe = sessionEmitter.subscribe(() => levels.push(currentNotificationPreferences()?.level))
  const preferences = { ...DEFAULT_PREFERENCES, level: 'all', mail: false } as const
  await save(success({ type: 'notificationPreferencesSaved', preferences }))
  unsubscribe()
  expect(fixture.outbox.mutations()).toEqual([])
  expect(shown.value).toEqual(preferences)
  expect(new Set(levels)).toEqual(new Set(['all']))
})

test('a change that the server refuses is no longer displayed, and its reason is reported', async () => {
  await show({})
  await change({ time_zone: 'Atlantis' })
  expect(shown.value?.time_zone).toBe('Atlantis')
  await save({ ok: false, failure: rejection })
  expect(shown.value?.time_zone).toBe('UTC')
  expect(fixture.rejections).toEqual([rejection])
})

test('a response to an earlier request does not replace a row that was stored later', async () => {
  await show({})
  await change({ level: 'all' })
  await act(async () => shown.retry())
  const preferences = { ...DEFAULT_PREFERENCES, level: 'all' } as const
  await save(success({ type: 'notificationPreferencesSaved', preferences }))
  await respond(success([DEFAULT_PREFERENCES]))
  expect(shown.value?.level).toBe('all')
})

test('keywords that the database would refuse stay in their form', async () => {
  await show({})
  const tooMany = Array.from({ length: 21 }, (_, index) => `word ${index}`)
  const count = createFailure('notification_preferences_keywords_count')
  expect(await setNotificationPreferences({ keywords: tooMany })).toEqual({ ok: false, failure: count })
  const length = createFailure('notification_preferences_keywords_length')
  expect(await setNotificationPreferences({ keywords: ['é'.repeat(501)] })).toEqual({
    ok: false,
    failure: length,
  })
  expect(fixture.outbox.mutations()).toEqual([])
  await change({ keywords: ['é'.repeat(500)] })
  expect(fixture.outbox.mutations()).toHaveLength(1)
})
