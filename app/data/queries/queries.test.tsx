// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { act, useEffect } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFailure, success, type Outcome } from '../failures/failures.ts'
import { sessionEmitter, setClientSession, type ClientSession } from '../session/clientSession.ts'
import type { SyncEvent } from '../store/syncEvents.ts'
import { createQuery, type Follow, type Query } from './createQuery.ts'
import { createPagedQuery, usePagedQuery, type Pages } from './pagedQuery.ts'
import { refetchRegularly } from './refetchRegularly.ts'
import { useQuery, type QueryResult } from './useQuery.ts'

let root: Root
let watchers: Set<(event: SyncEvent) => void>
let isLive: boolean

beforeEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  i18n.loadAndActivate({ locale: 'en', locales: ['en'], messages: {} })
  root = createRoot(document.createElement('main'))
  isLive = true
  startSession()
})

afterEach(() => {
  act(() => root.unmount())
  setClientSession(null)
})

/** Starts a session of another account in the workspace "w". */
function startSession(): void {
  watchers = new Set()
  const started = watchers
  setClientSession({
    store: {
      get: () => ({ workspace: { id: 'w' } }),
      watch: (watcher: (event: SyncEvent) => void) => {
        started.add(watcher)
        return () => started.delete(watcher)
      },
    },
    isLive: () => isLive,
  } as unknown as ClientSession)
  sessionEmitter.emit()
}

const receive = (event: string, workspace_id = 'w') =>
  act(async () => {
    for (const watcher of watchers)
      watcher({ type: 'userEventReceived', event: { event, payload: { workspace_id } } } as SyncEvent)
  })

/** A server whose responses wait until they are released. */
function createServer() {
  const waiting: ((outcome: Outcome<string>) => void)[] = []
  const requests: string[] = []
  return {
    requests,
    fetch: (...args: readonly string[]) => {
      requests.push(args.join(' '))
      return new Promise<Outcome<string>>((resolve) => waiting.push(resolve))
    },
    respond: (text: string) => act(async () => waiting.shift()?.(success(text))),
    fail: (name = 'network') =>
      act(async () => waiting.shift()?.({ ok: false, failure: createFailure(name) })),
  }
}

const shown = new Map<string, QueryResult<string>>()
const renders: string[] = []

interface Props {
  query: Query<[string], string>
  id: string
  as?: string
  revision?: number
  freshMs?: number
}

function Show({ query, id, as = id, ...options }: Props) {
  const result = useQuery(query, [id], options)
  useEffect(() => {
    shown.set(as, result)
    renders.push(`${as} ${result.value}`)
  })
  return null
}

const render = (...all: Props[]) =>
  act(async () => root.render(all.map((one) => <Show key={one.as ?? one.id} {...one} />)))
const valueOf = (name: string) => shown.get(name)?.value

beforeEach(() => {
  shown.clear()
  renders.length = 0
})

test('components that show the same arguments share one request and its response', async () => {
  const { fetch, requests, respond } = createServer()
  const query = createQuery({ fetch })
  await render({ query, id: 'a', as: 'first' }, { query, id: 'a', as: 'second' }, { query, id: 'b' })
  expect(requests).toEqual(['a', 'b'])
  await respond('A')
  expect([valueOf('first'), valueOf('second'), valueOf('b')]).toEqual(['A', 'A', undefined])
})

test('an invalidation during a request causes one more request, and the newest response stays', async () => {
  const { fetch, requests, respond } = createServer()
  const query = createQuery({ fetch })
  await render({ query, id: 'a' })
  await act(async () => {
    query.invalidate('a')
    query.invalidate()
  })
  expect(requests).toHaveLength(1)
  await respond('old')
  expect(requests).toHaveLength(2)
  await respond('new')
  expect(valueOf('a')).toBe('new')
  expect(requests).toHaveLength(2)
})

test('the late response of earlier arguments does not replace the value of the current ones', async () => {
  const { fetch, respond } = createServer()
  const query = createQuery({ fetch })
  await render({ query, id: 'a', as: 'shown' })
  await render({ query, id: 'b', as: 'shown' })
  expect(valueOf('shown')).toBeUndefined()
  await respond('A')
  expect(valueOf('shown')).toBeUndefined()
  await respond('B')
  expect(valueOf('shown')).toBe('B')
})

test('a changed value is not replaced by the response to an earlier request', async () => {
  const { fetch, requests, respond } = createServer()
  const query = createQuery({ fetch })
  await render({ query, id: 'a' })
  await respond('one two')
  await act(async () => query.invalidate('a'))
  act(() => query.change(['a'], (value) => value.replace(' two', '')))
  expect(valueOf('a')).toBe('one')
  await respond('one two')
  expect(valueOf('a')).toBe('one')
  await respond('one (from the server)')
  expect(valueOf('a')).toBe('one (from the server)')
  expect(requests).toHaveLength(3)
})

test('an event of the workspace, the end of an interruption and a revision fetch the value again', async () => {
  const { fetch, requests, respond } = createServer()
  const query = createQuery({ fetch, events: ['reports'] })
  const other = createQuery({ fetch })
  await render({ query, id: 'a', revision: 1 }, { query: other, id: 'b' })
  await respond('A')
  await respond('B')
  await receive('reports')
  expect(requests).toEqual(['a', 'b', 'a'])
  expect(valueOf('a')).toBe('A')
  await respond('A2')
  await receive('silence')
  await receive('reports', 'other workspace')
  expect(requests).toHaveLength(3)
  for (const live of [false, true]) {
    isLive = live
    await act(async () => sessionEmitter.emit())
  }
  expect(requests).toHaveLength(4)
  await respond('A3')
  await render({ query, id: 'a', revision: 2 }, { query: other, id: 'b' })
  expect(requests).toHaveLength(5)
  expect(valueOf('a')).toBe('A3')
})

test('a component without a revision fetches nothing again, and a later revision of another one does', async () => {
  const { fetch, requests, respond } = createServer()
  const query = createQuery({ fetch, freshMs: 60_000 })
  const other = { query, id: 'a', as: 'other' }
  await render({ query, id: 'a', revision: 1 })
  await respond('A')
  await render({ query, id: 'a', revision: 1 }, other)
  expect(requests).toHaveLength(1)
  await render({ query, id: 'a', revision: 2 }, other)
  expect(requests).toHaveLength(2)
  await respond('A2')
  expect([valueOf('a'), valueOf('other')]).toEqual(['A2', 'A2'])
})

test('a stored value that is shown again with another revision is fetched once', async () => {
  const { fetch, requests, respond } = createServer()
  for (const freshMs of [0, 60_000]) {
    requests.length = 0
    const query = createQuery({ fetch, maxStored: 1, freshMs })
    await render({ query, id: 'a', revision: 1 })
    await respond('A')
    await render()
    await render({ query, id: 'a', revision: 2 })
    expect([valueOf('a'), requests.length]).toEqual(['A', 2])
    await respond('A2')
    expect([valueOf('a'), requests.length]).toEqual(['A2', 2])
  }
})

test('a changed session drops values and the responses to its requests', async () => {
  const { fetch, requests, respond } = createServer()
  const query = createQuery({ fetch, maxStored: 2, events: ['reports'] })
  await render({ query, id: 'a' }, { query, id: 'b' })
  await respond('of Ann')
  const ofAnn = watchers
  await act(async () => startSession())
  expect([valueOf('a'), query.get('a')]).toEqual([undefined, undefined])
  await respond('late, of Ann')
  expect(valueOf('b')).toBeUndefined()
  await respond('of Bea')
  expect(valueOf('a')).toBe('of Bea')
  expect(requests).toEqual(['a', 'b', 'a', 'b'])
  expect(ofAnn.size).toBe(0)
})

test('a public value stays when the session changes', async () => {
  const { fetch, requests, respond } = createServer()
  const query = createQuery({ fetch, isPublic: true })
  await render({ query, id: 'a' })
  await respond('A')
  await act(async () => startSession())
  expect(valueOf('a')).toBe('A')
  expect(requests).toHaveLength(1)
})

test('a stored value is shown while it is fetched again, others are not', async () => {
  const { fetch, requests, respond } = createServer()
  const stored = createQuery({ fetch, maxStored: 1 })
  const query = createQuery({ fetch })
  await render({ query: stored, id: 'stored' }, { query, id: 'a' })
  await respond('S')
  await respond('A')
  await render()
  await render({ query: stored, id: 'stored' }, { query, id: 'a' })
  expect([valueOf('stored'), valueOf('a')]).toEqual(['S', undefined])
  expect(requests).toHaveLength(4)
})

test('a query stores the given number of values that nobody shows', async () => {
  const fetch = async (id: string) => success(id)
  const query = createQuery({ fetch, maxStored: 2 })
  const other = createQuery({ fetch, maxStored: 1 })
  await render({ query: other, id: 'other' })
  for (const id of ['a', 'b', 'a', 'c']) await render({ query, id, as: 'one' })
  await render()
  expect(['a', 'b', 'c'].map((id) => query.get(id))).toEqual(['a', undefined, 'c'])
  expect(other.get('other')).toBe('other')
})

test('a component can require a newer value than the query', async () => {
  const { fetch, requests, respond } = createServer()
  const query = createQuery({ fetch, maxStored: 1, freshMs: 60_000 })
  await render({ query, id: 'a' })
  await respond('A')
  await render()
  await render({ query, id: 'a' })
  expect(requests).toHaveLength(1)
  await render({ query, id: 'a' }, { query, id: 'a', as: 'newer', freshMs: 0 })
  expect(requests).toHaveLength(2)
  expect(valueOf('newer')).toBe('A')
})

test('a load returns a fresh value, and fetches it otherwise', async () => {
  const { fetch, requests, respond, fail } = createServer()
  const query = createQuery({ fetch, maxStored: 1, freshMs: 60_000 })
  const loads = [query.load('a'), query.load('a')]
  await respond('A')
  expect(await Promise.all(loads)).toEqual([success('A'), success('A')])
  expect(await query.load('a')).toEqual(success('A'))
  expect(requests).toHaveLength(1)
  query.invalidate('a')
  const failed = query.load('a')
  await fail()
  expect(await failed).toMatchObject({ ok: false, failure: { name: 'network' } })
  const late = query.load('b')
  startSession()
  await respond('of the previous session')
  expect(await late).toMatchObject({ ok: false, failure: { name: 'session_ended' } })
})

test('two components that show a value share its regular requests, which wait while the page is hidden', async () => {
  vi.useFakeTimers()
  try {
    const { fetch, requests, respond } = createServer()
    const follow: Follow<[string], string> = (entry) => refetchRegularly(entry, 1_000)
    const query = createQuery<[string], string>({ fetch, follow })
    await render({ query, id: 'a' }, { query, id: 'a', as: 'second' })
    await respond('A')
    await act(async () => vi.advanceTimersByTime(1_000))
    expect(requests).toHaveLength(2)
    await respond('A2')
    const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
    await act(async () => vi.advanceTimersByTime(5_000))
    expect(requests).toHaveLength(2)
    hidden.mockRestore()
    await act(async () => document.dispatchEvent(new Event('visibilitychange')))
    expect(requests).toHaveLength(3)
    await render()
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('a failure keeps the value, and is repeated by the user or when the network is back', async () => {
  const { fetch, requests, respond, fail } = createServer()
  const query = createQuery({ fetch })
  await render({ query, id: 'a' })
  await fail()
  expect(shown.get('a')).toMatchObject({ value: undefined, failure: { name: 'network' }, isFetching: false })
  await act(async () => shown.get('a')?.retry())
  await respond('A')
  expect(shown.get('a')).toMatchObject({ value: 'A', failure: null })
  await act(async () => query.invalidate('a'))
  await fail()
  expect(shown.get('a')).toMatchObject({ value: 'A', failure: { name: 'network' } })
  await act(async () => dispatchEvent(new Event('online')))
  await respond('B')
  expect(shown.get('a')).toMatchObject({ value: 'B', failure: null })
  expect(requests).toHaveLength(4)
})

test('a response after the component was removed changes nothing', async () => {
  const { fetch, requests, respond } = createServer()
  const query = createQuery({ fetch })
  await render({ query, id: 'a' })
  await render()
  const count = renders.length
  query.invalidate('a')
  await respond('A')
  expect([renders.length, query.get('a'), requests.length]).toEqual([count, undefined, 1])
})

/** Shows the pages of a query, whose items are texts. */
async function showPages(query: Parameters<typeof usePagedQuery<[], string, number>>[0]) {
  let pages: Pages<string> | null = null
  function List() {
    const current = usePagedQuery(query)
    useEffect(() => {
      pages = current
    })
    return null
  }
  await act(async () => root.render(<List />))
  return () => pages as unknown as Pages<string>
}

test('pages are appended without repeated items, and end', async () => {
  const server = ['f', 'e', 'd', 'c', 'b', 'a']
  const requests: (string | null)[] = []
  const query = createPagedQuery({
    idOf: (item: string) => item,
    fetch: async (after: string | null) => {
      requests.push(after)
      const start = Number(after ?? 0)
      const next = start + 2 < server.length ? String(start + 2) : null
      return success({ items: server.slice(start, start + 2), next, summary: server.length })
    },
  })
  const current = await showPages(query)
  expect(current()).toMatchObject({ value: ['f', 'e'], summary: 6 })
  server.unshift('g')
  await act(async () => current().more?.())
  expect(current().value).toEqual(['f', 'e', 'd'])
  await act(async () => current().more?.())
  await act(async () => current().more?.())
  expect(current()).toMatchObject({ value: ['f', 'e', 'd', 'c', 'b', 'a'], more: null, isCut: false })
  await act(async () => query.invalidate())
  expect(current().value).toEqual(['g', 'f', 'e', 'd', 'c', 'b'])
  expect(requests).toEqual([null, '2', '4', '6', null, '2', '4'])
})

test('a list that is fetched again ends after the page with the maximum number of items', async () => {
  const requests: (string | null)[] = []
  const query = createPagedQuery({
    maxRefetched: 2,
    idOf: (item: string) => item,
    fetch: async (after: string | null) => {
      requests.push(after)
      const page = Number(after ?? 0)
      return success({ items: [`${page}`], next: String(page + 1), summary: 0 })
    },
  })
  const current = await showPages(query)
  await act(async () => current().more?.())
  await act(async () => current().more?.())
  expect(current().value).toEqual(['0', '1', '2'])
  await act(async () => query.invalidate())
  expect(current().value).toEqual(['0', '1'])
  expect(requests).toEqual([null, '1', '2', null, '1'])
})

test('a change during the load of a page keeps the loaded pages, and the page is loaded again', async () => {
  const requests: (string | null)[] = []
  const waiting: (() => void)[] = []
  const query = createPagedQuery({
    idOf: (item: string) => item,
    fetch: async (after: string | null) => {
      requests.push(after)
      if (after !== null) await new Promise<void>((resolve) => waiting.push(resolve))
      const page = Number(after ?? 0)
      return success({ items: [`${page}a`, `${page}b`], next: String(page + 1), summary: 0 })
    },
  })
  const current = await showPages(query)
  const respond = () => act(async () => waiting.shift()?.())
  await act(async () => current().more?.())
  await act(async () => query.change([], (page) => ({ ...page, items: page.items.slice(1) })))
  expect(current().value).toEqual(['0b'])
  await respond()
  await respond()
  expect(current()).toMatchObject({ value: ['0b', '1a', '1b'], isFetching: false })
  expect(requests).toEqual([null, '1', '1'])
})

test('pages without items are passed over, five at a time, and a failed page is repeated', async () => {
  const requests: (string | null)[] = []
  let fails = false
  const query = createPagedQuery({
    idOf: (item: string) => item,
    fetch: async (after: string | null) => {
      requests.push(after)
      if (fails) return { ok: false, failure: createFailure('network') }
      const page = Number(after ?? 0)
      return success({ items: page === 6 ? ['a'] : [], next: page < 6 ? String(page + 1) : null, summary: 0 })
    },
  })
  const current = await showPages(query)
  expect(requests).toEqual([null, '1', '2', '3', '4'])
  fails = true
  await act(async () => {
    current().more?.()
    current().more?.()
  })
  expect(current()).toMatchObject({ value: [], failure: { name: 'network' } })
  fails = false
  await act(async () => current().retry())
  expect(current()).toMatchObject({ value: ['a'], failure: null, more: null })
  expect(requests.slice(5)).toEqual(['5', '5', '6'])
})

test('a list shows the previous items until others are there, and none after it had no query', async () => {
  const waiting: (() => void)[] = []
  const query = createPagedQuery({
    idOf: (item: string) => item,
    fetch: async (_: string | null, text: string) => {
      await new Promise<void>((resolve) => waiting.push(resolve))
      return success({ items: [text], next: null })
    },
  })
  const respond = () => act(async () => waiting.shift()?.())
  let pages: Pages<string> | null = null
  function List({ text }: { text: string | null }) {
    const current = usePagedQuery(text === null ? null : query, [text ?? ''])
    useEffect(() => {
      pages = current
    })
    return null
  }
  const show = (text: string | null) => act(async () => root.render(<List text={text} />))
  await show('one')
  await respond()
  await show('two')
  expect(pages).toMatchObject({ value: ['one'], isPrevious: true })
  await respond()
  expect(pages).toMatchObject({ value: ['two'], isPrevious: false })
  await show(null)
  await show('three')
  expect(pages).toMatchObject({ value: undefined, isPrevious: false })
  await respond()
  expect(pages).toMatchObject({ value: ['three'] })
})
