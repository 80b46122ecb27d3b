// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { act, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Keywords } from './Keywords.tsx'

test('keywords are saved by Enter and when the field is left, if they have changed', async () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  i18n.loadAndActivate({ locale: 'en', messages: {} })
  const save = vi.fn<(keywords: readonly string[]) => void>()
  function Setting() {
    const [keywords, setKeywords] = useState<readonly string[]>(['boat'])
    return (
      <Keywords
        keywords={keywords}
        save={async ({ keywords: next = [] }) => {
          save(next)
          setKeywords(next)
          return true
        }}
      />
    )
  }
  const page = document.body.appendChild(document.createElement('main'))
  const root = createRoot(page)
  onTestFinished(() => {
    act(() => root.unmount())
    page.remove()
  })
  await act(async () => root.render(<Setting />))
  const field = page.querySelector('input')!
  const type = (text: string) =>
    act(async () => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text)
      field.dispatchEvent(new Event('input', { bubbles: true }))
    })
  const leave = () => act(async () => void field.dispatchEvent(new FocusEvent('focusout', { bubbles: true })))
  await leave()
  expect(save).not.toHaveBeenCalled()
  await type('boat, ferry,, boat')
  await act(
    async () => void field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })),
  )
  expect(save).toHaveBeenCalledExactlyOnceWith(['boat', 'ferry'])
  expect(field.value).toBe('boat, ferry')
  await type('')
  await leave()
  expect(save).toHaveBeenLastCalledWith([])
})
