// @vitest-environment happy-dom
import { act, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, it, vi } from 'vitest'
import { lazyComponent, startPreloading } from './lazyComponent.tsx'

it('a preloaded component is rendered with its parent', async () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  vi.useFakeTimers()
  const Tools = lazyComponent(async () => ({ default: () => <b>tools</b> }), { preload: true })
  startPreloading()
  await vi.runAllTimersAsync()
  const page = document.createElement('main')
  const root = createRoot(page)
  // Not with an asynchronous `act`, which would wait for a suspended component.
  act(() =>
    root.render(
      <Suspense fallback="waiting">
        <Tools />
      </Suspense>,
    ),
  )
  expect(page.textContent).toBe('tools')
  act(() => root.unmount())
})
