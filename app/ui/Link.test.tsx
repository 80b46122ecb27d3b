// @vitest-environment happy-dom
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { beforeEach, expect, it, vi } from 'vitest'
import { Link, Redirect } from './Link.tsx'

let main: HTMLElement
const onClick = vi.fn<() => void>()

beforeEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  main = document.createElement('main')
  document.body.replaceChildren(main)
  history.replaceState(null, '', '/threads')
  act(() =>
    createRoot(main).render(
      <Link href="/people" onClick={onClick}>
        People
      </Link>,
    ),
  )
})

const click = (init: MouseEventInit) =>
  main
    .querySelector('a')!
    .dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ...init }))

it('a link opens its page without loading the app', () => {
  expect(click({})).toBe(false)
  expect(onClick).toHaveBeenCalledTimes(1)
  expect(location.pathname).toBe('/people')
})

it('the browser opens a link that is clicked with a modifier key', () => {
  // A new tab: the environment would load the page in this one.
  addEventListener('click', (event) => event.preventDefault(), { once: true })
  click({ ctrlKey: true })
  expect(location.pathname).toBe('/threads')
})

it('a redirect replaces the entry of its page', () => {
  const { length } = history
  act(() => createRoot(document.createElement('div')).render(<Redirect to="/files" />))
  expect([location.pathname, history.length]).toEqual(['/files', length])
})
