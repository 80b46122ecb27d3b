// @vitest-environment happy-dom
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, it } from 'vitest'
import type { Row } from '../../message/timelineRows.ts'
import { useRovingFocus } from './useRovingFocus.ts'

const rows = ['a', 'b', 'c'].map((id) => ({ id, item: { kind: 'message', id, message: {} } }) as Row)

function List() {
  const { stopId, setStop } = useRovingFocus({
    rows,
    scope: 'channel',
    inView: () => [0, 2],
    scrollIntoView: () => {},
    onHome: () => {},
    onEnd: () => {},
  })
  return rows.map(({ id }) => (
    <article key={id} id={id} tabIndex={stopId === id ? 0 : -1} onFocus={() => setStop(id)} />
  ))
}

it('Shift+Tab leads from the composer to the last message, also if the focus came from the page', () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  document.body.innerHTML = '<main></main><form data-compose><textarea></textarea></form>'
  const root = createRoot(document.querySelector('main')!)
  act(() => root.render(<List />))
  const tabStop = () => document.querySelector('article[tabindex="0"]')?.id
  const message = document.getElementById('a')!
  act(() => message.focus())
  expect(tabStop()).toBe('a')
  act(() => message.blur())
  act(() => document.querySelector('textarea')!.focus())
  expect(tabStop()).toBe('c')
  act(() => root.unmount())
})
