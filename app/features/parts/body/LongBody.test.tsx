// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, test } from 'vitest'
import LongBody from './LongBody.tsx'

test('a message that was sent expanded stays so in the row that replaces the pending one', async () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  i18n.loadAndActivate({ locale: 'en', messages: {} })
  const show = async (id: string, startsExpanded: boolean) => {
    const page = document.body.appendChild(document.createElement('main'))
    const root = createRoot(page)
    await act(async () =>
      root.render(
        <LongBody id={id} startsExpanded={startsExpanded}>
          text
        </LongBody>,
      ),
    )
    const label = page.querySelector('button')?.textContent
    await act(async () => root.unmount())
    page.remove()
    return label
  }
  expect(await show('of another', false)).toBe('Show more')
  expect(await show('own', true)).toBe('Show less')
  expect(await show('own', false)).toBe('Show less')
})
