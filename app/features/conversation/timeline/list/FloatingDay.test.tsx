// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, onTestFinished, test } from 'vitest'
import { FloatingDay } from './FloatingDay.tsx'
import { createVisibleRangeStore } from './visibleRange.ts'

test('the day of the top row is displayed until the newest messages are in view', async () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  i18n.loadAndActivate({ locale: 'en', messages: {} })
  const store = createVisibleRangeStore()
  const page = document.createElement('main')
  const root = createRoot(page)
  onTestFinished(() => act(() => root.unmount()))
  await act(async () => root.render(<FloatingDay visibleRange={store} isBelowUnreadButton={false} />))
  expect(page.textContent).toBe('')
  const day = '2024-11-03T12:00:00.000Z'
  await act(async () => store.set({ top: 4, bottom: 9, day, atEnd: false }))
  expect(page.textContent).toBe('November 3, 2024')
  await act(async () => store.set({ top: 40, bottom: 49, day, atEnd: true }))
  expect(page.textContent).toBe('')
})
