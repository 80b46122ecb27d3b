// @vitest-environment happy-dom
import { lazy, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createTypedAhead } from './OverlayContext.ts'
import { useTypedAhead } from './useTypedAhead.ts'

it('an overlay has the keys that were typed between its render and its commit', async () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false })
  const typed = createTypedAhead(null)
  const onRender = vi.fn<() => void>()
  function Field() {
    const text = useTypedAhead(typed)
    onRender()
    return <input readOnly value={text} />
  }
  let load: () => void = () => {}
  const LazyField = lazy(
    () =>
      new Promise<{ default: typeof Field }>((resolve) => {
        load = () => resolve({ default: Field })
      }),
  )
  const page = document.body.appendChild(document.createElement('main'))
  onTestFinished(() => page.remove())
  const root = createRoot(page)
  onTestFinished(() => root.unmount())
  root.render(
    <Suspense fallback="Loading">
      <LazyField />
    </Suspense>,
  )
  await vi.waitFor(() => expect(page.textContent).toBe('Loading'))
  // Runs directly after the commit, before effects that follow the paint.
  const shown = new Promise<string>((resolve) => {
    const observer = new MutationObserver(() => {
      const field = page.querySelector('input')
      if (!field) return
      observer.disconnect()
      resolve(field.value)
    })
    observer.observe(page, { childList: true, subtree: true })
  })
  typed.set('o')
  load()
  await vi.waitFor(() => expect(onRender).toHaveBeenCalled(), { interval: 1 })
  // React delays the commit, since it has just shown the fallback.
  expect(page.querySelector('input')).toBeNull()
  typed.set('orchi')
  expect(await shown).toBe('orchi')
})
