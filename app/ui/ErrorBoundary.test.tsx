// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { act, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { ErrorBoundary, OverlayBoundary, PaneBoundary } from './ErrorBoundary.tsx'
import { ToastContext } from './toast.ts'

let isBroken = true

function Part() {
  if (isBroken) throw new Error('does not render')
  return <p>part</p>
}

beforeEach(() => {
  isBroken = true
  i18n.loadAndActivate({ locale: 'en', messages: {} })
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  // React reports caught errors there.
  const report = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => report.mockRestore())
})

function render(content: ReactNode) {
  const main = document.createElement('main')
  const root = createRoot(main)
  const show = (shown: ReactNode) => act(() => root.render(shown))
  show(content)
  onTestFinished(() => act(() => root.unmount()))
  return { main, show }
}

it('a part that fails to render is replaced alone, until it is tried again', () => {
  const { main } = render(
    <>
      <p>before</p>
      <PaneBoundary>
        <Part />
      </PaneBoundary>
    </>,
  )
  expect(main.textContent).toContain('before')
  expect(main.querySelector('[role=alert]')).not.toBeNull()
  isBroken = false
  act(() => main.querySelector('button')!.click())
  expect(main.textContent).toBe('beforepart')
})

it('a changed row is rendered again', () => {
  const row = (revision: number) => (
    <ErrorBoundary fallback="plain" resetKey={revision}>
      <Part />
    </ErrorBoundary>
  )
  const { main, show } = render(row(1))
  expect(main.textContent).toBe('plain')
  isBroken = false
  show(row(1))
  expect(main.textContent).toBe('plain')
  show(row(2))
  expect(main.textContent).toBe('part')
})

it('a menu or dialog that fails to render closes and states why', () => {
  const [showToast, onClose] = [vi.fn(), vi.fn()]
  const { main } = render(
    <ToastContext value={showToast}>
      <p>before</p>
      <OverlayBoundary onClose={onClose}>
        <Part />
      </OverlayBoundary>
    </ToastContext>,
  )
  expect(main.textContent).toBe('before')
  expect(onClose).toHaveBeenCalledOnce()
  expect(showToast).toHaveBeenCalledOnce()
})
