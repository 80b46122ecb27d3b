// @vitest-environment happy-dom
import { act, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestOutbox } from '../../../../data/mutations/createTestOutbox.fixture.ts'
import { DEFAULT_PREFERENCES } from '../../../../data/notifications/preferences.ts'
import { setClientSession, type ClientSession } from '../../../../data/session/clientSession.ts'
import { Toaster } from '../../../../ui/Toaster.tsx'
import { useSavePreferences } from './useSavePreferences.ts'

let shown: ReturnType<typeof useSavePreferences>

function Days() {
  const preferences = useSavePreferences(DEFAULT_PREFERENCES)
  useEffect(() => {
    shown = preferences
  })
  return null
}

beforeEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  const { outbox, store } = createTestOutbox()
  setClientSession({ store, outbox, isLive: () => true } as unknown as ClientSession)
})
afterEach(() => setClientSession(null))

test('a second click is computed from the first one while that is being stored', () => {
  const root = createRoot(document.createElement('main'))
  act(() =>
    root.render(
      <Toaster>
        <Days />
      </Toaster>,
    ),
  )
  for (const day of [1, 2])
    act(() => {
      const [{ quiet_days }, save] = shown
      void save({ quiet_days: [...quiet_days, day] })
    })
  expect(shown[0].quiet_days).toEqual([1, 2])
  act(() => root.unmount())
})
