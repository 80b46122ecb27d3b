// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, it } from 'vitest'
import EmojiPicker from './EmojiPicker.tsx'

i18n.loadAndActivate({ locale: 'en', messages: {} })

it('Enter in the search does not submit the form around the picker before there is a result', () => {
  // Happy DOM has no popovers.
  Object.assign(HTMLElement.prototype, { showPopover() {}, hidePopover() {} })
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  const form = document.body.appendChild(document.createElement('form'))
  const root = createRoot(form)
  act(() => root.render(<EmojiPicker standardOnly anchor={form} onPick={() => {}} onClose={() => {}} />))
  const search = form.querySelector<HTMLInputElement>('input[type=search]')!
  search.focus()
  const enter = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true })
  act(() => void search.dispatchEvent(enter))
  expect(enter.defaultPrevented).toBe(true)
  act(() => root.unmount())
})
