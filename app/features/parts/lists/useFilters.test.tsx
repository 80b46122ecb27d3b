// @vitest-environment happy-dom
import { act, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { beforeEach, expect, it } from 'vitest'
import { useFilters } from './useFilters.ts'

const definitions = { q: null, role: ['all', 'owner', 'guest'] } as const
let shown: ReturnType<typeof useFilters<typeof definitions>>

function List() {
  const filters = useFilters(definitions)
  useEffect(() => {
    shown = filters
  })
  return null
}

beforeEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  act(() => history.replaceState(null, '', '/people'))
  act(() => createRoot(document.createElement('main')).render(<List />))
})

it('filters have the values of the address, and a value that is not allowed is the default', () => {
  expect(shown).toMatchObject({ values: { q: '', role: 'all' }, areDefault: true })
  act(() => history.replaceState(null, '', '/people?q=a%26b&role=guest'))
  expect(shown).toMatchObject({ values: { q: 'a&b', role: 'guest' }, areDefault: false })
  act(() => history.replaceState(null, '', '/people?role=king'))
  expect(shown.values.role).toBe('all')
})

it('a change replaces the entry of the history, keeps its state, and leaves defaults out of the address', () => {
  act(() => history.replaceState({ from: '/files', scrollTop: 300 }, ''))
  const entries = history.length
  act(() => shown.change({ q: 'Bea', role: 'guest' }))
  expect(location.search).toBe('?q=Bea&role=guest')
  act(() => shown.change({ role: 'all' }))
  expect(location.search).toBe('?q=Bea')
  expect(history.length).toBe(entries)
  expect(history.state).toEqual({ from: '/files', scrollTop: 0 })
})
