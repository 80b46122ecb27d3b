// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { GrowingList } from './GrowingList.tsx'
import { moveInList } from './moveInList.ts'

let root: Root
let page: HTMLElement

beforeEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  i18n.loadAndActivate({ locale: 'en', locales: ['en'], messages: {} })
  page = document.body.appendChild(document.createElement('main'))
  root = createRoot(page)
})

afterEach(() => {
  act(() => root.unmount())
  page.remove()
})

function render(count: number, selection: string) {
  act(() =>
    root.render(
      <div role="presentation" onKeyDown={moveInList}>
        <input type="search" />
        <GrowingList
          label="Channels"
          className={undefined}
          items={Array.from({ length: count }, (_, index) => index)}
          selection={selection}
          render={(item) => (
            <li key={item}>
              <button type="button" data-entry>{`channel ${item}`}</button>
            </li>
          )}
        />
      </div>,
    ),
  )
}

const buttons = () => [...page.querySelectorAll('button')]
const press = (button: HTMLElement | undefined) => act(() => button?.click())

it('shows 50 more items with each press and focuses the first of them', () => {
  render(120, '')
  expect(buttons()).toHaveLength(51)
  expect(buttons().at(-1)?.textContent).toBe('Show more')
  press(buttons().at(-1))
  expect(buttons()).toHaveLength(101)
  expect(document.activeElement?.textContent).toBe('channel 50')
  press(buttons().at(-1))
  expect(buttons().map((one) => one.textContent)).toEqual(
    Array.from({ length: 120 }, (_, index) => `channel ${index}`),
  )
  expect(document.activeElement?.textContent).toBe('channel 100')
})

it('starts again with 50 items for another selection', () => {
  render(120, 'by name')
  press(buttons().at(-1))
  render(120, 'by members')
  expect(buttons()).toHaveLength(51)
})

it('moves by arrow keys from the field through the items to the button below them', () => {
  render(51, '')
  const move = (key: string) =>
    act(() =>
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
      ),
    )
  page.querySelector('input')?.focus()
  move('ArrowDown')
  expect(document.activeElement?.textContent).toBe('channel 0')
  buttons()[49]?.focus()
  move('ArrowDown')
  expect(document.activeElement?.textContent).toBe('Show more')
  buttons()[0]?.focus()
  move('ArrowUp')
  expect(document.activeElement).toBe(page.querySelector('input'))
})
