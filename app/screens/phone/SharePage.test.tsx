// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import type { ReactNode } from 'react'
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

vi.mock('../../features/flows/channels/useDestinations.ts', () => ({ useDestinations: () => [] }))
vi.mock('../../data/share/sharedContent.ts', () => ({ readSharedContent: async () => null }))
vi.mock('../../shell/ListPage.tsx', () => ({
  ListPage: ({ children }: { children: ReactNode }) => <section>{children}</section>,
}))
vi.mock('../../ui/toast.ts', () => ({ useToast: () => () => {} }))

const { default: SharePage } = await import('./SharePage.tsx')

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

it.each([
  ['/share', 'Choose Linnet in the share menu of another app.'],
  ['/share?again', 'Share it again in the other app.'],
])('the page %s explains why there is nothing to share', async (address, text) => {
  history.replaceState(null, '', address)
  await act(async () => root.render(<SharePage />))
  expect(page.textContent).toContain('Nothing to share')
  expect(page.textContent).toContain(text)
})
