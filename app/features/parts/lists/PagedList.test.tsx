// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createPagedQuery, usePagedQuery } from '../../../data/queries/pagedQuery.ts'
import { createFailure, success } from '../../../data/failures/failures.ts'
import { PagedList } from './PagedList.tsx'

let root: Root
let page: HTMLElement
/** Of the next request. */
let fails: boolean
let starts: (string | null)[]

beforeEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  i18n.loadAndActivate({ locale: 'en', locales: ['en'], messages: {} })
  page = document.body.appendChild(document.createElement('main'))
  root = createRoot(page)
  fails = false
  starts = []
})

afterEach(() => {
  act(() => root.unmount())
  page.remove()
})

/** Pages of this size out of so many numbers. */
const createLoad = (count: number, size: number) => async (after: string | null) => {
  starts.push(after)
  if (fails) return { ok: false as const, failure: createFailure('network') }
  const start = Number(after ?? 0)
  const end = Math.min(start + size, count)
  const items = Array.from({ length: end - start }, (_, index) => start + index)
  return success({ items, next: end < count ? String(end) : null })
}

const createList = (count: number, size: number) =>
  createPagedQuery({ fetch: createLoad(count, size), idOf: (item: number) => item })

function List({ query }: { query: ReturnType<typeof createList> }) {
  const pages = usePagedQuery(query)
  return (
    <>
      <PagedList
        label="Numbers"
        className={undefined}
        pages={pages}
        empty="None."
        render={(item) => <li key={item}>{item}</li>}
      />
      <button type="button" onClick={() => query.invalidate()}>
        Reload
      </button>
    </>
  )
}

const render = (query: ReturnType<typeof createList>) => act(async () => root.render(<List query={query} />))
const rows = () => page.querySelectorAll('li').length
const press = (label: string) =>
  act(async () => [...page.querySelectorAll('button')].find((one) => one.textContent === label)?.click())

it('adds a page, focuses its first item, and requests as many items again', async () => {
  await render(createList(5, 2))
  expect(rows()).toBe(2)
  await press('Show more')
  expect(rows()).toBe(4)
  expect(document.activeElement?.textContent).toBe('2')
  await press('Reload')
  expect(rows()).toBe(4)
  expect(starts).toEqual([null, '2', null, '2'])
  await press('Show more')
  expect(rows()).toBe(5)
  expect(page.textContent).not.toContain('Show more')
})

it('keeps what it has when a page cannot be loaded, and requests that page again', async () => {
  await render(createList(3, 2))
  fails = true
  await press('Show more')
  expect(rows()).toBe(2)
  expect(page.querySelector('[role=alert]')).not.toBeNull()
  fails = false
  await press('Try again')
  expect(rows()).toBe(3)
})

it('requests no page after 1,000 items, and states it', async () => {
  await render(createList(1500, 600))
  await press('Show more')
  expect(rows()).toBe(1200)
  expect(page.textContent).toContain('Only the first')
  expect(page.textContent).not.toContain('Show more')
})
