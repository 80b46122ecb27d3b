// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, it, onTestFinished, vi } from 'vitest'
import { buildMessage, ME } from '../../../data/store/buildRows.fixture.ts'
import { MeContext, type Me } from '../../parts/members/MeContext.ts'
import { MessageRow } from './MessageRow.tsx'

it('a message that fails to render shows its text, and its neighbours stay', async () => {
  i18n.loadAndActivate({ locale: 'en', messages: {} })
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  // React reports caught errors there.
  const report = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => report.mockRestore())
  const intact = buildMessage(1, { body: 'Tea is ready' })
  const broken = { ...buildMessage(2, { body: '**Coffee** too' }), reactions: null as never }
  const main = document.createElement('main')
  const root = createRoot(main)
  onTestFinished(() => act(() => root.unmount()))
  const shared = {
    scope: 'channel',
    mayPost: false,
    editing: false,
    tabStop: false,
    isFirstOfRun: true,
  } as const
  const show = (second: typeof broken) =>
    act(() =>
      root.render(
        <MeContext value={{ profile: { id: ME } } as Me}>
          {[intact, second].map((message) => (
            <MessageRow key={message.id} message={message} onEdit={() => {}} onFocus={() => {}} {...shared} />
          ))}
        </MeContext>,
      ),
    )
  show(broken)
  await act(async () => import('./PlainMessageRow.tsx'))
  expect([...main.querySelectorAll('article')].map(({ id }) => id)).toEqual([
    `channel-${intact.id}`,
    `channel-${broken.id}`,
  ])
  expect(main.textContent).toContain('Tea is ready')
  expect(main.textContent).toContain('**Coffee** too')
  show(Object.assign({}, broken, { reactions: [] }))
  expect(main.querySelector('strong')?.textContent).toBe('Coffee')
})
