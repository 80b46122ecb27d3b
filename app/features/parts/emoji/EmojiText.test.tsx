// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { expect, onTestFinished, test } from 'vitest'
import { withEmoji } from './EmojiText.tsx'

test('names of standard emoji become emoji, other names and times remain text', async () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false })
  i18n.loadAndActivate({ locale: 'en', locales: ['en'], messages: {} })
  const page = document.body.appendChild(document.createElement('main'))
  const root = createRoot(page)
  onTestFinished(() => {
    root.unmount()
    page.remove()
  })
  flushSync(() => root.render(withEmoji(':tada: at 10:30:45, :+1: and :unknown:')))
  expect(page.textContent).toBe(':tada: at 10:30:45, :+1: and :unknown:')
  await expect.poll(() => page.textContent).toBe('🎉 at 10:30:45, 👍 and :unknown:')
  expect(withEmoji('10:30:45')).toBe('10:30:45')
})
