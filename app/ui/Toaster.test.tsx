// @vitest-environment happy-dom
import { act, useEffect } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Toaster } from './Toaster.tsx'
import { useToast, type Toast } from './toast.ts'

let root: Root
let page: HTMLElement
let show: (toast: Toast) => void

function Page() {
  const showToast = useToast()
  useEffect(() => {
    show = showToast
  })
  return <input />
}

beforeEach(async () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  HTMLElement.prototype.showPopover = () => {}
  vi.useFakeTimers()
  page = document.body.appendChild(document.createElement('main'))
  root = createRoot(page)
  act(() =>
    root.render(
      <Toaster>
        <Page />
      </Toaster>,
    ),
  )
  // The view is loaded with the first toast.
  await act(async () => {
    show({ text: 'Sent.' })
    await import('./ToastView.tsx')
  })
  pass(6_000)
})

afterEach(() => {
  act(() => root.unmount())
  page.remove()
  vi.useRealTimers()
})

const deleted = () => act(() => show({ text: 'Deleted.', action: { label: 'Undo', run: () => {} } }))
const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms))
const button = () => page.querySelector('button')

it('a toast with the text of the one before is shown as long as any other', () => {
  deleted()
  pass(5_000)
  deleted()
  pass(5_000)
  expect(button()).not.toBeNull()
  pass(1_000)
  expect(button()).toBeNull()
})

it('a toast stays while its button has the focus', () => {
  deleted()
  pass(5_000)
  act(() => button()?.focus())
  pass(60_000)
  expect(button()).not.toBeNull()
  act(() => page.querySelector('input')?.focus())
  pass(6_000)
  expect(button()).toBeNull()
})

it('a toast stays while the pointer is over it, and Escape closes it', () => {
  deleted()
  const toast = page.querySelector('[data-toast]')
  act(() => toast?.dispatchEvent(new Event('pointerover', { bubbles: true })))
  pass(60_000)
  expect(button()).not.toBeNull()
  act(() => toast?.dispatchEvent(new Event('pointerout', { bubbles: true })))
  pass(6_000)
  expect(button()).toBeNull()
  deleted()
  act(() => page.querySelector('input')?.focus())
  act(() => button()?.focus())
  act(() => button()?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })))
  expect(button()).toBeNull()
  expect(document.activeElement).toBe(page.querySelector('input'))
})

it('a tap closes a toast, but not one on its button', () => {
  deleted()
  const tap = (on: Element | null) =>
    act(() => on?.dispatchEvent(new PointerEvent('pointerup', { bubbles: true, pointerType: 'touch' })))
  tap(button())
  expect(button()).not.toBeNull()
  tap(page.querySelector('[data-toast] > span'))
  expect(button()).toBeNull()
})
