// @vitest-environment happy-dom
import { act, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { beforeEach, expect, it } from 'vitest'
import { usePageAddress, usePageQuery } from './pageAddress.ts'
import { formatAddress, signInAddress } from '../paths.ts'

let shown = { query: new URLSearchParams(), address: '' }

function Reader() {
  const [query, address] = [usePageQuery(), usePageAddress()]
  useEffect(() => {
    shown = { query, address }
  })
  return null
}

beforeEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  act(() => createRoot(document.createElement('main')).render(<Reader />))
})

const texts = [
  'C++',
  'in:#rota',
  'a&b',
  '100%',
  '%2B',
  '%',
  '50%25',
  '"tea=4"',
  'a b',
  'Ä 潮 😀',
  'x?y#z',
  '\\ / ;',
]

it.each(texts)('a page receives the text "%s" as it was written to its address', (text) => {
  act(() => history.pushState(null, '', formatAddress('/search', { q: text, in: null })))
  expect(Object.fromEntries(shown.query)).toEqual({ q: text })
})

it.each(texts)('the way through sign-in leads back to a search for "%s", and to the fragment', (text) => {
  const target = `${formatAddress('/search', { q: text })}#${encodeURIComponent(text)}`
  act(() => history.pushState(null, '', target))
  expect(shown.address).toBe(target)
  act(() => history.pushState(null, '', signInAddress(shown.address)))
  expect(shown.query.get('next')).toBe(target)
})

it('a page follows changes of its address, and an address without values has no query', () => {
  act(() => history.pushState(null, '', '/search?q=C%2B%2B'))
  expect(shown.query.get('q')).toBe('C++')
  act(() => history.replaceState(null, '', '/search?q=in%3A%23rota&sort=relevance'))
  expect([...shown.query]).toEqual([
    ['q', 'in:#rota'],
    ['sort', 'relevance'],
  ])
  expect(formatAddress('/files', { name: '', by: null })).toBe('/files')
  expect(signInAddress('/')).toBe('/sign-in')
})
