// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, it } from 'vitest'
import type { Workspace } from '../../../wire/people.ts'
import { MeContext, type Me } from '../../features/parts/members/MeContext.ts'
import SettingsFrame from './SettingsFrame.tsx'

const me = { role: 'member', workspace: { id: '', name: '', custom_emoji_by: 'members' } as Workspace } as Me
const never = new Promise<never>(() => {})

function LoadingPane(): never {
  // oxlint-disable-next-line typescript/only-throw-error -- React waits for a promise that is thrown.
  throw never
}

it('shows the heading of a page of the settings while the page is loading', async () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  i18n.loadAndActivate({ locale: 'en', locales: ['en'], messages: {} })
  history.replaceState(null, '', '/settings/appearance')
  const page = document.body.appendChild(document.createElement('main'))
  const root = createRoot(page)
  await act(async () =>
    root.render(
      <MeContext value={me}>
        <SettingsFrame page="appearanceSettings">
          <LoadingPane />
        </SettingsFrame>
      </MeContext>,
    ),
  )
  expect(page.querySelector('h1')?.textContent).toBe('Appearance and language')
  await act(async () => root.unmount())
})
