// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ThisDevice } from './ThisDevice.tsx'

test('over http the page names HTTPS as the reason, although browsers report a denied permission', async () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  i18n.loadAndActivate({ locale: 'en', messages: {} })
  vi.stubGlobal('isSecureContext', false)
  vi.stubGlobal('Notification', { permission: 'denied' })
  const page = document.body.appendChild(document.createElement('main'))
  const root = createRoot(page)
  onTestFinished(() => {
    act(() => root.unmount())
    page.remove()
    vi.unstubAllGlobals()
  })
  await act(async () => root.render(<ThisDevice />))
  expect(page.textContent).toContain('only on websites with HTTPS')
  expect(page.textContent).not.toContain('blocking')
})
