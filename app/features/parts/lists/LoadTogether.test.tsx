// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createFailure } from '../../../data/failures/failures.ts'
import type { QueryResult } from '../../../data/queries/useQuery.ts'
import { LoadTogether } from './LoadTogether.tsx'
import { QueryContent } from './QueryContent.tsx'

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

const result = (state: Partial<QueryResult<string>>): QueryResult<string> => ({
  value: undefined,
  failure: null,
  isFetching: false,
  retry: () => {},
  ...state,
})
const waiting = result({ isFetching: true })

/** A section for the first query, within which the second query starts, and one without a query. */
const show = (first: QueryResult<string>, second: QueryResult<string>) =>
  act(() =>
    root.render(
      <LoadTogether>
        <QueryContent query={first} loading="First">
          {(value) => (
            <>
              <h2 id="email">{value}</h2>
              <QueryContent query={second} loading="Second">
                {(other) => <h2>{other}</h2>}
              </QueryContent>
            </>
          )}
        </QueryContent>
        <button type="button">Delete account</button>
      </LoadTogether>,
    ),
  )

const visibleText = () =>
  [...page.children].flatMap((one) => (one.hasAttribute('hidden') ? [] : [one.textContent])).join('')

it('displays nothing until each query has a value, also one that starts after another', () => {
  show(waiting, waiting)
  expect(visibleText()).toBe('')
  show(result({ value: 'Email' }), waiting)
  expect(visibleText()).toBe('')
  show(result({ value: 'Email' }), result({ value: 'Sessions' }))
  expect(visibleText()).toBe('EmailSessionsDelete account')
})

it('displays values that are known at once', () => {
  show(result({ value: 'Email' }), result({ value: 'Sessions' }))
  expect(visibleText()).toBe('EmailSessionsDelete account')
})

it('displays children without a query', () => {
  act(() => root.render(<LoadTogether>No queries</LoadTogether>))
  expect(page.textContent).toBe('No queries')
  expect(visibleText()).toBe('No queries')
})

it('displays a failed query with its error beside the other sections', () => {
  show(result({ value: 'Email' }), waiting)
  show(result({ value: 'Email' }), result({ failure: createFailure('network') }))
  expect(visibleText()).toContain('Email')
  expect(visibleText()).toContain('Try again')
  expect(visibleText()).toContain('Delete account')
})

it('stays displayed while another query loads later', () => {
  show(result({ value: 'Email' }), result({ value: 'Sessions' }))
  show(result({ value: 'Email' }), waiting)
  expect(visibleText()).toBe('EmailDelete account')
})

it('scrolls to the section in the address once it is displayed', () => {
  const scrolledTo: unknown[] = []
  Element.prototype.scrollIntoView = function () {
    scrolledTo.push([this.id, visibleText()])
  }
  history.replaceState(null, '', '#email')
  try {
    show(waiting, waiting)
    show(result({ value: 'Email' }), waiting)
    expect(scrolledTo).toEqual([])
    show(result({ value: 'Email' }), result({ value: 'Sessions' }))
    expect(scrolledTo).toEqual([['email', 'EmailSessionsDelete account']])
  } finally {
    history.replaceState(null, '', '#')
  }
})
