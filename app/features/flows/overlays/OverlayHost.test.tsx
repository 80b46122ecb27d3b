// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { createRoot } from 'react-dom/client'
import { expect, it, onTestFinished, vi } from 'vitest'
import { OverlayHost } from './OverlayHost.tsx'

it('an overlay is the component that its directory has added', async () => {
  i18n.loadAndActivate({ locale: 'en', messages: {} })
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false })
  const page = document.body.appendChild(document.createElement('main'))
  onTestFinished(() => page.remove())
  const root = createRoot(page)
  onTestFinished(() => root.unmount())
  root.render(<OverlayHost overlay={{ kind: 'keys' }} onClose={() => {}} />)
  await vi.waitFor(() => expect(document.querySelector('h2')?.textContent).toBe('Keyboard shortcuts'))
})
