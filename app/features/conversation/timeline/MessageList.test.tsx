// @vitest-environment happy-dom
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Row } from '../message/timelineRows.ts'
import type { ScrollTarget } from './list/scrollMachine.ts'
import { MessageList } from './MessageList.tsx'

const shown = vi.hoisted(() => ({ target: null as ScrollTarget | null, ids: '' }))
vi.mock(
  import('./list/ListWindow.tsx'),
  () =>
    ({
      ListWindow: ({ rows, target }: { rows: Row[]; target: ScrollTarget }) => {
        shown.target = target
        shown.ids = rows.map(({ id }) => id).join('')
        return null
      },
    }) as never,
)

const OPENED_AT = Date.parse('2026-12-01T12:00:00Z')
const message = (id: string) => ({ id, item: { kind: 'message', id, message: {} } }) as Row
const pending = (id: string, createdAt: string) =>
  ({ id, item: { kind: 'pending', id, message: { createdAt } } }) as Row

let root: Root
const show = (...rows: Row[]) =>
  act(() =>
    root.render(
      <MessageList {...({} as Parameters<typeof MessageList>[0])} rows={rows} openedAt={OPENED_AT} />,
    ),
  )

beforeEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  root = createRoot(document.body.appendChild(document.createElement('main')))
})
afterEach(() => {
  act(() => root.unmount())
  document.body.replaceChildren()
})

it('a message that the reader sends is scrolled to, also if it is accepted before it is shown', () => {
  show(message('c'))
  show(message('b'), message('c'))
  show(message('b'), message('c'), pending('d', '2026-12-01T12:00:01Z'))
  expect(shown.ids).toBe('bc')
  show(message('b'), message('c'), message('d'))
  expect(shown.ids).toBe('bc')
  expect(shown.target).toEqual({ to: 'end' })
})

it('a message that was pending before the reader opened the conversation does not move them', () => {
  const before = pending('b', '2026-12-01T11:59:59Z')
  show(message('a'), before)
  expect(shown.target).toEqual({ to: 'open' })
  show(message('a'), before, pending('c', '2026-12-01T12:00:01Z'))
  const { target } = shown
  expect(target).toEqual({ to: 'end' })
  // Its removal is no new message.
  show(message('a'), before)
  expect(shown.target).toBe(target)
})
