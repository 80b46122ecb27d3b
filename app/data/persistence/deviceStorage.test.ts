import 'fake-indexeddb/auto'
import { forceCloseDatabase } from 'fake-indexeddb'
import { openDB } from 'idb'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { draftKey, clearDeviceStorage, openDeviceStorage } from './deviceStorage.ts'
import type { DeviceStorage } from './deviceStorage.ts'
import { applyEvent } from '../store/applyEvent.ts'
import {
  buildBootstrap,
  buildChannelEntry,
  buildPage,
  buildProfile,
  LOBBY,
  ME,
  WORKSPACE,
} from '../store/buildRows.fixture.ts'
import { toCachedWorkspace, restoreState, toCachedMessages } from './cachedRows.ts'
import type { Mutation, OutboxFile } from '../mutations/mutation.ts'
import { emptyState } from '../store/state.ts'
import type { State } from '../store/state.ts'
import { EMPTY_SNAPSHOT } from '../store/requestSnapshot.ts'

const item: Mutation = {
  kind: 'send',
  id: 'one',
  channel: LOBBY,
  threadRoot: null,
  alsoToChannel: false,
  body: 'hello',
  files: [],
  createdAt: '2026-01-01T00:00:00Z',
  order: 1,
  revision: 0,
  maybeSent: false,
  notBefore: 0,
  state: 'pending',
  failure: null,
}
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

const { blob: _blob, thumb: _thumb, ...storedPicture } = picture
const failed = vi.fn()
const add = (mutation: Mutation) => (mutations: readonly Mutation[]) => [...mutations, mutation]
let opened: DeviceStorage | null = null

afterEach(async () => {
  opened?.close()
  await clearDeviceStorage('test', ME, 'everything')
})

it('deletes a draft in the transaction that stores its message', async () => {
  opened = await openDeviceStorage('test', ME, failed)
  await opened.writeDraft(draftKey(LOBBY, null), { text: 'hello', base: null })
  await opened.writeDraft(draftKey(LOBBY, 'root'), { text: 'another', base: null })
  expect(await opened.countDrafts()).toBe(2)
  await opened.outbox.change(add(item), draftKey(LOBBY, null))
  expect(await opened.countDrafts()).toBe(1)
  expect((await opened.readDraft(draftKey(LOBBY, null))).text).toBe('')
  expect((await opened.readDraft(draftKey(LOBBY, 'root'))).text).toBe('another')
  expect(await opened.outbox.all()).toEqual([item])
})

it('concurrent changes of the outbox by several pages are applied one after the other', async () => {
  opened = await openDeviceStorage('test', ME, failed)
  const other = await openDeviceStorage('test', ME, failed)
  await opened.outbox.change(add(item))
  await Promise.all([
    opened.outbox.change((mutations) => mutations.filter((mutation) => mutation.id !== 'one')),
    other.outbox.change((mutations) => [
      ...mutations,
      { ...item, id: `after ${mutations.length}`, order: 2 },
    ]),
  ])
  expect((await opened.outbox.all()).map((mutation) => mutation.id)).toEqual(['after 0'])
  other.close()
})

it('loads the mutations that it can read, and does not delete the others', async () => {
  opened = await openDeviceStorage('test', ME, failed)
  await opened.outbox.change(add(item))
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
  await db.put('drafts', { x: 1 }, draftKey(LOBBY, null))
  expect((await opened.readDraft(draftKey(LOBBY, null))).text).toBe('')
  expect(await opened.outbox.all()).toEqual([item])
  expect(
    await opened.outbox.change((mutations) => mutations.filter((mutation) => mutation.id !== 'one')),
  ).toEqual([])
  expect(await db.getAllKeys('outbox')).toEqual(odd.map((one) => one.id).sort())
  db.close()
})

it('ignores a cache of another shape', () => {
  const base = toCachedWorkspace(
    applyEvent(emptyState, {
      type: 'bootstrapReceived',
      response: buildBootstrap([buildChannelEntry()]),
      snapshot: EMPTY_SNAPSHOT,
    }),
  )
  expect(restoreState({ workspace: base, messages: [] })).not.toBeNull()
  for (const odd of [
    {},
    { ...base, members: [{}] },
    { ...base, entries: [null] },
    { ...base, threads: undefined },
    'x',
  ]) {
    expect(restoreState({ workspace: odd as typeof base, messages: [] })).toBeNull()
  }
  expect(restoreState({ workspace: base, messages: [{ id: LOBBY }] as never })).toBeNull()
})

/** What a build stored in a database of this version: a message with a file, drafts, and cached rows of its own format. */
async function storeAsBuild(user: string, version: number): Promise<void> {
  const db = await openDB(`linnet-test-${user}`, version, {
    upgrade: (upgraded) => {
      const stores = version < 5 ? ['outbox', 'files', 'words'] : ['outbox', 'files', 'messages']
      for (const name of stores) upgraded.createObjectStore(name, { keyPath: 'id' })
      for (const name of [version < 5 ? 'base' : 'workspace', 'drafts']) upgraded.createObjectStore(name)
      if (version > 7) upgraded.createObjectStore('later')
    },
  })
  const { revision, maybeSent, ...rest } = { ...item, files: [{ ...storedPicture, hasThumb: false }] }
  const names = version < 6 ? { version: revision, tried: maybeSent } : { revision, maybeSent }
  await db.put('outbox', { ...rest, ...names })
  const draft = {
    ...item,
    kind: 'draft',
    id: 'draft',
    order: 2,
    threadRoot: null,
    text: 'half',
    from: '',
    quote: null,
  }
  await db.put('outbox', { ...draft, base: [], [version < 7 ? 'place' : 'conversation']: LOBBY })
  await db.put('files', { id: 'picture', blob: new TextEncoder().encode('abc').buffer, thumb: null })
  await db.put('drafts', 'half a sentence', 'edit/one')
  if (version >= 5) {
    await db.put('workspace', { rows: 'of another format' }, WORKSPACE)
    await db.put('messages', { id: `${WORKSPACE}/${LOBBY}`, rev: 99, rows: 'of another format' })
  }
  db.close()
}

it.each([4, 5, 6, 7, 8])(
  'keeps unsent messages, files and drafts of a build with version %i of the database, and no cached rows',
  async (version) => {
    const user = `user of ${version}`
    await storeAsBuild(user, version)
    opened = await openDeviceStorage('test', user, failed)
    const [draft, message] = await opened.outbox.all()
    expect(message).toMatchObject({ id: 'one', body: 'hello', revision: 0, maybeSent: false })
    expect(await (message?.kind === 'send' && message.files[0]?.blob.text())).toBe('abc')
    expect(draft).toMatchObject({ kind: 'draft', conversation: LOBBY, text: 'half' })
    expect((await opened.readDraft('edit/one')).text).toBe('half a sentence')
    expect(await opened.readCache(WORKSPACE)).toBeNull()
    // Its messages have a higher rev, but no readable rows.
    const workspace = toCachedWorkspace(
      applyEvent(emptyState, {
        type: 'bootstrapReceived',
        response: buildBootstrap([buildChannelEntry()]),
        snapshot: EMPTY_SNAPSHOT,
      }),
    )
    const messages = {
      id: LOBBY,
      rev: 1,
      window: { from: 1, to: 1 },
      first: 1,
      messages: [],
      size: 2,
      usedAt: 0,
    }
    await opened.writeCache(workspace, [messages], [], new Map())
    expect((await opened.readCache(WORKSPACE))?.messages).toMatchObject([{ id: LOBBY, rev: 1 }])
    opened.close()
    await clearDeviceStorage('test', user, 'everything')
  },
)

it('an earlier build finds unsent messages and drafts after a newer build has used the database', async () => {
  opened = await openDeviceStorage('test', ME, failed)
  await opened.outbox.change(add(item))
  await opened.writeDraft('edit/one', { text: 'half a sentence', base: null })
  opened.close()
  // The first build without formats opened version 7, and deleted all stores in an upgrade.
  const upgrade = vi.fn()
  const db = await openDB(`linnet-test-${ME}`, 7, { upgrade })
  expect(await db.getAll('outbox')).toEqual([item])
  expect(await db.get('drafts', 'edit/one')).toBe('half a sentence')
  expect(upgrade).not.toHaveBeenCalled()
  db.close()
})

it('refuses a later database that lacks a store', async () => {
  const db = await openDB('linnet-test-later', 9, {
    upgrade: (created) => created.createObjectStore('outbox'),
  })
  db.close()
  await expect(openDeviceStorage('test', 'later', failed)).rejects.toThrow(/version/i)
})

it('continues in memory when the device can no longer store it, and reports that once', async () => {
  failed.mockClear()
  opened = await openDeviceStorage('test', ME, failed)
  await opened.outbox.change(add(item))
  const full = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError')
  })
  const two = { ...item, id: 'two', order: 2 }
  expect(await opened.outbox.change(add(two))).toEqual([item, two])
  expect(
    await opened.outbox.change((mutations) => mutations.filter((mutation) => mutation !== item)),
  ).toEqual([two])
  expect(failed).toHaveBeenCalledTimes(1)
  expect(opened.isPersistent()).toBe(false)
  full.mockRestore()
  // What was sent meanwhile is not sent again by the next page.
  const next = await openDeviceStorage('test', ME, failed)
  await vi.waitFor(async () => expect(await next.outbox.all()).toEqual([]))
  next.close()
})

it.each([
  ['with an event', (db: IDBDatabase) => forceCloseDatabase(db as never)],
  ['without an event', (db: IDBDatabase) => db.close()],
])('opens a database that the browser has closed %s once, for several callers', async (_, close) => {
  const requests = vi.spyOn(IDBFactory.prototype, 'open')
  onTestFinished(() => requests.mockRestore())
  opened = await openDeviceStorage('test', ME, failed)
  const database = (requests.mock.results[0]!.value as IDBOpenDBRequest).result
  close(database)
  const two = { ...item, id: 'two', order: 2 }
  await Promise.all([opened.outbox.change(add(item)), opened.outbox.change(add(two))])
  expect(await opened.outbox.all()).toEqual([item, two])
  expect(requests).toHaveBeenCalledTimes(2)
})

it('shows stored messages before the first response, with their stored revs', async () => {
  const state = [
    {
      type: 'bootstrapReceived' as const,
      response: buildBootstrap([buildChannelEntry()]),
      snapshot: EMPTY_SNAPSHOT,
    },
    { type: 'pageReceived' as const, page: buildPage(1, 10), request: {} },
  ].reduce(applyEvent, emptyState)
  const rows = state.channels.get(LOBBY)
  const words = rows ? toCachedMessages(rows) : null
  opened = await openDeviceStorage('test', ME, failed)
  await opened.writeCache(toCachedWorkspace(state), words ? [words] : [], [], new Map())
  await opened.writeCache(toCachedWorkspace(state), [], [], new Map([[LOBBY, 10]]))
  const again = restoreState(await opened.readCache(WORKSPACE))
  expect(again?.source).toBe('cached')
  expect(again?.channels.get(LOBBY)?.messages).toEqual(rows?.messages)
  expect(again?.channels.get(LOBBY)?.rev).toBe(10)
  expect(again?.members).toEqual(state.members)
  // A tab that is behind brings back nothing, unless the server itself was restored from a backup.
  const old = words ? [{ ...words, rev: 9, messages: [] }] : []
  await opened.writeCache(toCachedWorkspace(state), old, [], new Map())
  expect((await opened.readCache(WORKSPACE))?.messages[0]?.rev).toBe(10)
  await opened.writeCache(toCachedWorkspace(state), old, [LOBBY], new Map())
  expect((await opened.readCache(WORKSPACE))?.messages).toEqual(old)
  // Nor does one stay that nobody could read.
  await opened.deleteOtherWorkspaces([])
  expect(await opened.readCache(WORKSPACE)).toBeNull()
  await opened.writeCache(toCachedWorkspace(state), [], [], new Map())
  expect((await opened.readCache(WORKSPACE))?.messages).toEqual([])
  await opened.writeCache(toCachedWorkspace(state), words ? [words] : [], [], new Map())
  // Another tab received a change that these messages do not contain.
  await opened.writeCache(toCachedWorkspace(state), [], [], new Map([[LOBBY, 11]]))
  expect((await opened.readCache(WORKSPACE))?.messages).toEqual([])
})

it('does not copy the members again when only other rows have changed', async () => {
  const stateOf = (name: string, people: string): State => ({
    ...emptyState,
    workspace: { id: WORKSPACE, name: 'Harbour' },
    members: new Map([[ME, { profile: buildProfile(ME, name), role: 'owner', state: 'active' }]]),
    digests: { people, channels: `channels of ${name}` },
  })
  const puts = vi.spyOn(IDBObjectStore.prototype, 'put')
  onTestFinished(() => puts.mockRestore())
  const copies = () => puts.mock.calls.filter(([row]) => 'members' in row).length
  const read = async (device: DeviceStorage) => {
    const stored = await device.readCache(WORKSPACE)
    return [stored?.workspace.members.map(({ profile }) => profile.name), stored?.workspace.digests]
  }
  opened = await openDeviceStorage('test', ME, failed)
  const device = opened
  const write = (state: State, of = device) => of.writeCache(toCachedWorkspace(state), [], [], new Map())
  const first = stateOf('Ann', 'first')
  await write(first)
  await write({ ...first, sections: [] })
  expect(copies()).toBe(1)
  // The members are deleted by another tab.
  await device.deleteOtherWorkspaces([])
  await write(first)
  expect(copies()).toBe(2)
  // Another tab stores other members. Their digest stays with them.
  const other = await openDeviceStorage('test', ME, failed)
  onTestFinished(() => other.close())
  await write(stateOf('Anna', 'second'), other)
  await write(first)
  expect(await read(device)).toEqual([['Anna'], { people: 'second', channels: 'channels of Ann' }])
  await write({ ...first, digests: { channels: 'channels' } })
  expect(await read(device)).toEqual([['Ann'], { channels: 'channels' }])
})

it('stores each workspace apart, and deletes those that the user has left', async () => {
  const cachedAs = (id: string, ids: readonly string[]) => {
    const workspaces = ids.map((one) => ({ id: one, name: one }))
    const channel = { ...buildChannelEntry().channel, id: `lobby of ${id}`, workspace_id: id }
    const response = {
      ...buildBootstrap([buildChannelEntry({ channel })]),
      workspace: { id, name: id },
      workspaces,
    }
    const state = applyEvent(emptyState, { type: 'bootstrapReceived', response, snapshot: EMPTY_SNAPSHOT })
    const messages = {
      id: channel.id,
      rev: 1,
      window: { from: 1, to: 1 },
      first: 1,
      messages: [],
      size: 2,
      usedAt: 0,
    }
    return { workspace: toCachedWorkspace(state), messages }
  }
  opened = await openDeviceStorage('test', ME, failed)
  const device = opened
  const write = async (id: string, ids: readonly string[]) => {
    const { workspace, messages } = cachedAs(id, ids)
    await device.writeCache(workspace, [messages], [], new Map())
    await device.deleteOtherWorkspaces(ids)
  }
  const read = async (id: string) => {
    const stored = await device.readCache(id)
    return stored && [stored.workspace.workspace?.name, ...stored.messages.map((one) => one.id)]
  }
  await write('a', ['a', 'b'])
  await write('b', ['a', 'b'])
  expect(await read('a')).toEqual(['a', 'lobby of a'])
  expect(await read('b')).toEqual(['b', 'lobby of b'])
  expect(await device.readCache(null)).toBeNull()
  await write('b', ['b'])
  expect(await read('a')).toBeNull()
  expect(await read('b')).toEqual(['b', 'lobby of b'])
  // Six are not stored: the one that was written longest ago is deleted.
  const many = ['b', 'c', 'd', 'e', 'f', 'g']
  const clock = vi.spyOn(Date, 'now')
  onTestFinished(() => clock.mockRestore())
  for (const [index, id] of many.entries()) {
    clock.mockReturnValue(1_000 + index)
    await write(id, many)
  }
  expect(await Promise.all(many.map(read))).toEqual([
    null,
    ...many.slice(1).map((id) => [id, `lobby of ${id}`]),
  ])
})

it('deletes cached messages and keeps drafts and the outbox when a session ends by itself', async () => {
  opened = await openDeviceStorage('test', ME, failed)
  await opened.outbox.change(add(item))
  await opened.writeDraft('place', { text: 'half a sentence', base: null })
  await opened.writeCache(toCachedWorkspace(emptyState), [], [], new Map())
  await clearDeviceStorage('test', ME, 'cache')
  expect(await opened.readCache(WORKSPACE)).toBeNull()
  expect(await opened.outbox.all()).toHaveLength(1)
  await clearDeviceStorage('test', ME, 'everything')
  expect(await opened.outbox.all()).toEqual([])
  expect((await opened.readDraft('place')).text).toBe('')
})

/** Everything that lies in a table. */
async function lying(table: 'outbox' | 'files', user: string = ME): Promise<unknown[]> {
  const db = await openDB(`linnet-test-${user}`)
  const all = await db.getAll(table)
  db.close()
  return all
}

it('stores the bytes of a file once, apart from its mutation, until the mutation is removed', async () => {
  opened = await openDeviceStorage('test', ME, failed)
  const mutation = { ...item, files: [picture] }
  const [first] = await opened.outbox.change(add(mutation))
  const [second] = await opened.outbox.change((mutations) =>
    mutations.map((one) => ({ ...one, maybeSent: true })),
  )
  // What is kept is what is read: the file on disk may change.
  const bytes = (one: Mutation | undefined) => (one?.kind === 'send' ? one.files[0]?.blob : undefined)
  expect(bytes(first)).not.toBe(picture.blob)
  expect(bytes(second)).toBe(bytes(first))
  expect(await bytes(second)?.text()).toBe('abc')
  expect(second).toMatchObject({ maybeSent: true, files: [{ name: 'tide.png', uploaded: false }] })
  expect(JSON.stringify(await lying('outbox'))).not.toContain('blob')
  expect(await lying('files')).toHaveLength(1)
  await opened.outbox.change(() => [])
  expect(await lying('files')).toEqual([])
  await opened.outbox.change(add(mutation))
  opened.close()
  await clearDeviceStorage('test', ME, 'everything')
  expect(await lying('files')).toEqual([])
})

it('stores a message without file bytes that exceed the disk, which this page still uploads', async () => {
  const unkept = vi.fn()
  opened = await openDeviceStorage('test', ME, failed, unkept)
  const put = IDBObjectStore.prototype.put
  const full = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function refuse(
    this: IDBObjectStore,
    value,
  ) {
    if (this.name === 'files') throw new DOMException('full', 'QuotaExceededError')
    return put.call(this, value)
  })
  const [kept] = await opened.outbox.change(add({ ...item, files: [picture] }))
  full.mockRestore()
  expect(unkept).toHaveBeenCalledOnce()
  expect(opened.isPersistent()).toBe(true)
  expect(kept).toMatchObject({ body: 'hello', files: [{ blob: picture.blob }] })
  // Another page has the words, and sees that the bytes are gone.
  const other = await openDeviceStorage('test', ME, failed)
  expect(await other.outbox.all()).toMatchObject([{ body: 'hello', files: [{ size: 3, blob: { size: 0 } }] }])
  other.close()
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
  opened = await openDeviceStorage('test', ME, failed, unkept)
  const blobs = refuseBlobs(how)
  await opened.outbox.change(add({ ...item, files: [picture] }))
  blobs.mockRestore()
  expect([unkept.mock.calls, failed.mock.calls, opened.isPersistent()]).toEqual([[], [], true])
  const other = await openDeviceStorage('test', ME, failed)
  const [kept] = await other.outbox.all()
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
  opened = await openDeviceStorage('test', ME, failed)
  const hung = vi
    .spyOn(IDBObjectStore.prototype, 'put')
    .mockImplementation(() => new Promise(() => {}) as never)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const changed = opened.outbox.change(add(item))
  const draft = opened.writeDraft('place', { text: 'half', base: null }).catch((error: Error) => error.name)
  while (failed.mock.calls.length === 0) await vi.advanceTimersByTimeAsync(1_000)
  expect(await changed).toEqual([item])
  expect(await draft).toBe('TimeoutError')
  vi.useRealTimers()
  hung.mockRestore()
  expect(failed).toHaveBeenCalledOnce()
  expect(opened.isPersistent()).toBe(false)
})

it('in memory it still reads what other pages store, without what it has completed itself', async () => {
  opened = await openDeviceStorage('test', ME, failed)
  const other = await openDeviceStorage('test', ME, failed)
  const stored = (id: string) => ({ ...item, id })
  const ids = async (device: DeviceStorage) => (await device.outbox.all()).map(({ id }) => id)
  await other.outbox.change(add(stored('before')))
  await opened.outbox.all()
  const full = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
    throw new DOMException('', 'QuotaExceededError')
  })
  await opened.outbox.change(add(item))
  full.mockRestore()
  expect(opened.isPersistent()).toBe(false)
  await other.outbox.change(add(stored('after')))
  expect(await ids(opened)).toEqual(['before', 'one', 'after'])
  // Removed by the other page, and completed by this one.
  await other.outbox.change((all) => all.filter(({ id }) => id !== 'before'))
  expect(await ids(opened)).toEqual(['one', 'after'])
  await opened.outbox.change((all) => all.filter(({ id }) => id !== 'after'))
  expect(await ids(opened)).toEqual(['one'])
  await vi.waitFor(async () => expect(await ids(other)).toEqual([]))
  other.close()
})

it('stores a file deleted from the disk as missing, and keeps the text', async () => {
  const unkept = vi.fn()
  opened = await openDeviceStorage('test', ME, failed, unkept)
  const blob = new Blob(['abc'])
  blob.arrayBuffer = () => Promise.reject(new DOMException('', 'NotReadableError'))
  const [kept] = await opened.outbox.change(add({ ...item, files: [{ ...picture, blob }] }))
  expect(kept).toMatchObject({ body: 'hello', files: [{ size: 3, blob: { size: 0 } }] })
  expect(unkept).not.toHaveBeenCalled()
})
