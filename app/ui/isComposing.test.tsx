// @vitest-environment happy-dom
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, it } from 'vitest'
import { isFreeEscape } from '../features/parts/shortcuts/useEscapeKey.ts'
import { moveInList } from './moveInList.ts'
import { isComposing } from './isComposing.ts'

/** The key that ends a composition, as browsers report it. */
const ENDING_KEYS = {
  Chrome: { isComposing: true, keyCode: 229 },
  Safari: { isComposing: false, keyCode: 229 },
}

it.each(Object.entries(ENDING_KEYS))(
  'the key that ends a composition in %s is no command',
  (_name, state) => {
    expect(isComposing(state)).toBe(true)
    expect(
      isFreeEscape({ key: 'Escape', defaultPrevented: false, target: null, ...state } as KeyboardEvent),
    ).toBe(false)
  },
)

it('the arrow keys of an input method do not leave the search field of a list', () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  const page = document.body.appendChild(document.createElement('main'))
  const root = createRoot(page)
  act(() =>
    root.render(
      <div role="presentation" onKeyDown={moveInList}>
        <input type="search" />
        <li>
          <button type="button" data-entry>
            rota
          </button>
        </li>
      </div>,
    ),
  )
  const field = page.querySelector('input')!
  const press = (state: object) => {
    field.focus()
    const event = new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, ...state })
    act(() => field.dispatchEvent(event))
    return document.activeElement
  }
  expect(press({ isComposing: true })).toBe(field)
  expect(press({})).toBe(page.querySelector('button'))
  act(() => root.unmount())
  page.remove()
})
