import 'fake-indexeddb/auto'
import { openDB } from 'idb'
import { afterEach, expect, it, vi } from 'vitest'
import { draftPlace, forgetDevice, openDevice } from './deviceStorage.ts'
import type { Device } from './deviceStorage.ts'
import { apply } from '../store/applyEvent.ts'
import { buildBootstrap, buildEntry, buildPage, LOBBY, ME } from '../store/buildRows.ts'
import { baseOf, restoredState, wordsOf } from './cachedRows.ts'
import type { Deed, OutboxFile } from '../mutations/mutation.ts'
import { emptyState } from '../store/state.ts'
import { NOTHING_KNOWN } from '../store/requestSnapshot.ts'

const item: Deed = {
  kind: 'send',
  id: 'one',
  channel: LOBBY,
  threadRoot: null,
  alsoToChannel: false,
  body: 'hello',
  files: [],
  createdAt: '2026-01-01T00:00:00Z',
  order: 1,
  version: 0,
  tried: false,
  notBefore: 0,
  state: 'pending',
  failure: null,
}
const failed = vi.fn()
const add = (deed: Deed) => (deeds: readonly Deed[]) => [...deeds, deed]
let opened: Device | null = null

afterEach(async () => {
  opened?.close()
  await forgetDevice('test', ME, 'everything')
})

it('clears the draft with the message that it became', async () => {
  opened = await openDevice('test', ME, failed)
  await opened.keepDraft(draftPlace(LOBBY, null), 'hello')
  await opened.keepDraft(draftPlace(LOBBY, 'root'), 'another')
  expect(await opened.drafts()).toBe(2)
  await opened.shelf.change(add(item), draftPlace(LOBBY, null))
  expect(await opened.drafts()).toBe(1)
  expect(await opened.draft(draftPlace(LOBBY, null))).toBe('')
  expect(await opened.draft(draftPlace(LOBBY, 'root'))).toBe('another')
  expect(await opened.shelf.all()).toEqual([item])
})

it('is changed by pages in turn, each by what is there then', async () => {
  opened = await openDevice('test', ME, failed)
  const other = await openDevice('test', ME, failed)
  await opened.shelf.change(add(item))
  await Promise.all([
    opened.shelf.change((deeds) => deeds.filter((deed) => deed.id !== 'one')),
    other.shelf.change((deeds) => [...deeds, { ...item, id: `after ${deeds.length}`, order: 2 }]),
  ])
  expect((await opened.shelf.all()).map((deed) => deed.id)).toEqual(['after 0'])
  other.close()
})

it('starts with what it can read, and lets nothing go that it can not', async () => {
  opened = await openDevice('test', ME, failed)
  await opened.shelf.change(add(item))
  const db = await openDB(`linnet-test-${ME}`)
  const odd = [
    { ...item, id: 'poll', kind: 'poll' },
    { id: 'bare' },
    { ...item, id: 'no files', files: undefined },
    { ...item, id: 'no words', body: { x: 1 } },
    { ...item, id: 'no order', order: Infinity },
    { ...item, id: 'no date', createdAt: 'yesterday' },
    { ...item, id: 'of nothing', kind: 'react', emoji: '👀' },
    { ...item, id: 'inherited', kind: 'toString' },
  ]
  for (const one of odd) await db.put('outbox', one)
  await db.put('drafts', { x: 1 }, draftPlace(LOBBY, null))
  expect(await opened.draft(draftPlace(LOBBY, null))).toBe('')
  expect(await opened.shelf.all()).toEqual([item])
  expect(await opened.shelf.change((deeds) => deeds.filter((deed) => deed.id !== 'one'))).toEqual([])
  expect(await db.getAllKeys('outbox')).toEqual(odd.map((one) => one.id).sort())
  db.close()
})

it('takes a cache of another shape for none', () => {
  const base = baseOf(
    apply(emptyState, { type: 'bootstrapped', answer: buildBootstrap([buildEntry()]), known: NOTHING_KNOWN }),
  )
  expect(restoredState({ base, words: [] })).not.toBeNull()
  for (const odd of [
    {},
    { ...base, members: [{}] },
    { ...base, entries: [null] },
    { ...base, threads: undefined },
    'x',
  ]) {
    expect(restoredState({ base: odd as typeof base, words: [] })).toBeNull()
  }
  expect(restoredState({ base, words: [{ id: LOBBY }] as never })).toBeNull()
})

it('keeps what an earlier version of the app left to be sent', async () => {
  const old = await openDB('linnet-test-somebody', 1, {
    upgrade: (db) => {
      db.createObjectStore('base')
      db.createObjectStore('words', { keyPath: 'id' })
      db.createObjectStore('outbox', { keyPath: 'id' })
      db.createObjectStore('drafts')
    },
  })
  const { kind: _kind, version: _version, tried: _tried, notBefore: _notBefore, ...kept } = item
  await old.put('outbox', kept)
  await old.put('drafts', 'half a sentence', 'place')
  old.close()
  opened = await openDevice('test', 'somebody', failed)
  expect(await opened.shelf.all()).toEqual([{ ...item, tried: true }])
  expect(await opened.draft('place')).toBe('half a sentence')
})

it('goes on in memory when the device can not keep it any more, and says so once', async () => {
  failed.mockClear()
  opened = await openDevice('test', ME, failed)
  await opened.shelf.change(add(item))
  const full = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError')
  })
  const two = { ...item, id: 'two', order: 2 }
  expect(await opened.shelf.change(add(two))).toEqual([item, two])
  expect(await opened.shelf.change((deeds) => deeds.filter((deed) => deed !== item))).toEqual([two])
  expect(failed).toHaveBeenCalledTimes(1)
  expect(opened.lasting()).toBe(false)
  full.mockRestore()
  // What was sent meanwhile is not sent again by the next page.
  const next = await openDevice('test', ME, failed)
  await vi.waitFor(async () => expect(await next.shelf.all()).toEqual([]))
  next.close()
})

it('shows the words again before the network answers, as old as they are', async () => {
  const state = [
    {
      type: 'bootstrapped' as const,
      answer: buildBootstrap([buildEntry()]),
      known: NOTHING_KNOWN,
    },
    { type: 'pageGiven' as const, page: buildPage(1, 10), asked: {} },
  ].reduce(apply, emptyState)
  const rows = state.channels.get(LOBBY)
  const words = rows ? wordsOf(rows) : null
  opened = await openDevice('test', ME, failed)
  await opened.keep(baseOf(state), words ? [words] : [], [], new Map())
  await opened.keep(baseOf(state), [], [], new Map([[LOBBY, 10]]))
  const again = restoredState(await opened.kept())
  expect(again?.source).toBe('cached')
  expect(again?.channels.get(LOBBY)?.messages).toEqual(rows?.messages)
  expect(again?.channels.get(LOBBY)?.rev).toBe(10)
  expect(again?.members).toEqual(state.members)
  // A tab that is behind brings back nothing, unless the home itself was restored from a copy.
  const old = words ? [{ ...words, rev: 9, messages: [] }] : []
  await opened.keep(baseOf(state), old, [], new Map())
  expect((await opened.kept())?.words[0]?.rev).toBe(10)
  await opened.keep(baseOf(state), old, [LOBBY], new Map())
  expect((await opened.kept())?.words).toEqual(old)
  // Nor does one stay that nobody could read.
  await opened.keep(baseOf(emptyState), [], [], new Map())
  expect((await opened.kept())?.words).toEqual([])
  await opened.keep(baseOf(state), words ? [words] : [], [], new Map())
  // Another tab heard of a change of which these words know nothing.
  await opened.keep(baseOf(state), [], [], new Map([[LOBBY, 11]]))
  expect((await opened.kept())?.words).toEqual([])
})

it('lets the words go and keeps what was written when a session ends by itself', async () => {
  opened = await openDevice('test', ME, failed)
  await opened.shelf.change(add(item))
  await opened.keepDraft('place', 'half a sentence')
  await opened.keep(baseOf(emptyState), [], [], new Map())
  await forgetDevice('test', ME, 'words')
  expect(await opened.kept()).toBeNull()
  expect(await opened.shelf.all()).toHaveLength(1)
  await forgetDevice('test', ME, 'everything')
  expect(await opened.shelf.all()).toEqual([])
  expect(await opened.draft('place')).toBe('')
})

const picture: OutboxFile = {
  id: 'picture',
  name: 'tide.png',
  type: 'image/png',
  size: 3,
  width: 1,
  height: 1,
  blob: new Blob(['abc']),
  thumb: new Blob(['a']),
  uploaded: false,
}

/** Everything that lies in a table. */
async function lying(table: 'outbox' | 'files', user: string = ME): Promise<unknown[]> {
  const db = await openDB(`linnet-test-${user}`)
  const all = await db.getAll(table)
  db.close()
  return all
}

it('keeps the bytes of a file once, apart from its deed, until the deed goes', async () => {
  opened = await openDevice('test', ME, failed)
  const deed = { ...item, files: [picture] }
  const [first] = await opened.shelf.change(add(deed))
  const [second] = await opened.shelf.change((deeds) => deeds.map((one) => ({ ...one, tried: true })))
  // What is kept is what is read: the file on disk may change.
  const bytes = (one: Deed | undefined) => (one?.kind === 'send' ? one.files[0]?.blob : undefined)
  expect(bytes(first)).not.toBe(picture.blob)
  expect(bytes(second)).toBe(bytes(first))
  expect(await bytes(second)?.text()).toBe('abc')
  expect(second).toMatchObject({ tried: true, files: [{ name: 'tide.png', uploaded: false }] })
  expect(JSON.stringify(await lying('outbox'))).not.toContain('blob')
  expect(await lying('files')).toHaveLength(1)
  await opened.shelf.change(() => [])
  expect(await lying('files')).toEqual([])
  await opened.shelf.change(add(deed))
  opened.close()
  await forgetDevice('test', ME, 'everything')
  expect(await lying('files')).toEqual([])
})

it('keeps words without the bytes for which there is no room, and this page goes on with them', async () => {
  const unkept = vi.fn()
  opened = await openDevice('test', ME, failed, unkept)
  const put = IDBObjectStore.prototype.put
  const full = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function refuse(
    this: IDBObjectStore,
    value,
  ) {
    if (this.name === 'files') throw new DOMException('full', 'QuotaExceededError')
    return put.call(this, value)
  })
  const [kept] = await opened.shelf.change(add({ ...item, files: [picture] }))
  full.mockRestore()
  expect(unkept).toHaveBeenCalledOnce()
  expect(opened.lasting()).toBe(true)
  expect(kept).toMatchObject({ body: 'hello', files: [{ blob: picture.blob }] })
  // Another page has the words, and sees that the bytes are gone.
  const other = await openDevice('test', ME, failed)
  expect(await other.shelf.all()).toMatchObject([{ body: 'hello', files: [{ size: 3, blob: { size: 0 } }] }])
  other.close()
})

it('takes over the bytes that an earlier version kept with their deed', async () => {
  const db = await openDB('linnet-test-earlier', 2, {
    upgrade: (old) => {
      for (const name of ['outbox', 'words']) old.createObjectStore(name, { keyPath: 'id' })
      for (const name of ['base', 'drafts']) old.createObjectStore(name)
    },
  })
  await db.put('outbox', { ...item, files: [picture] })
  db.close()
  opened = await openDevice('test', 'earlier', failed)
  await opened.shelf.change((deeds) => deeds.map((one) => ({ ...one, tried: true })))
  expect(await lying('files', 'earlier')).toHaveLength(1)
  expect(JSON.stringify(await lying('outbox', 'earlier'))).not.toContain('blob')
  opened.close()
  await forgetDevice('test', 'earlier', 'everything')
})

/** As WebKit: a value that contains a Blob is refused, or its transaction never ends. */
function refuseBlobs(how: 'refuses' | 'hangs') {
  const put = IDBObjectStore.prototype.put
  return vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function putWithoutBlobs(
    this: IDBObjectStore,
    value: Record<string, unknown>,
  ) {
    if (!Object.values(value).some((one) => one instanceof Blob)) return put.call(this, value)
    if (how === 'hangs') return new Promise(() => {}) as never
    throw new DOMException('Error preparing Blob/File data to be stored in object store', 'UnknownError')
  })
}

it.each(['refuses', 'hangs'] as const)('stores files on a device that %s Blobs', async (how) => {
  failed.mockClear()
  const unkept = vi.fn()
  opened = await openDevice('test', ME, failed, unkept)
  const blobs = refuseBlobs(how)
  await opened.shelf.change(add({ ...item, files: [picture] }))
  blobs.mockRestore()
  expect([unkept.mock.calls, failed.mock.calls, opened.lasting()]).toEqual([[], [], true])
  const other = await openDevice('test', ME, failed)
  const [kept] = await other.shelf.all()
  const file = kept?.kind === 'send' ? kept.files[0] : undefined
  expect([await file?.blob.text(), file?.blob.type, await file?.thumb?.text()]).toEqual([
    'abc',
    'image/png',
    'a',
  ])
  other.close()
})

it('continues in memory when the device does not respond', async () => {
  failed.mockClear()
  opened = await openDevice('test', ME, failed)
  const hung = vi
    .spyOn(IDBObjectStore.prototype, 'put')
    .mockImplementation(() => new Promise(() => {}) as never)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const changed = opened.shelf.change(add(item))
  const draft = opened.keepDraft('place', 'half').catch((error: Error) => error.name)
  while (failed.mock.calls.length === 0) await vi.advanceTimersByTimeAsync(1_000)
  expect(await changed).toEqual([item])
  expect(await draft).toBe('TimeoutError')
  vi.useRealTimers()
  hung.mockRestore()
  expect(failed).toHaveBeenCalledOnce()
  expect(opened.lasting()).toBe(false)
})

it('stores a file deleted from the disk as missing, and keeps the text', async () => {
  const unkept = vi.fn()
  opened = await openDevice('test', ME, failed, unkept)
  const blob = new Blob(['abc'])
  blob.arrayBuffer = () => Promise.reject(new DOMException('', 'NotReadableError'))
  const [kept] = await opened.shelf.change(add({ ...item, files: [{ ...picture, blob }] }))
  expect(kept).toMatchObject({ body: 'hello', files: [{ size: 3, blob: { size: 0 } }] })
  expect(unkept).not.toHaveBeenCalled()
})
