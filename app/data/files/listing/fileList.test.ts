// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { FileList, ListedFile, ListFilesArgs } from '../../../../wire/files.ts'
import type { Message } from '../../../../wire/messages.ts'
import { success } from '../../failures/failures.ts'
import { setClientSession, type ClientSession } from '../../session/clientSession.ts'
import { buildBootstrap, buildChannelEntry, buildMessage, LOBBY } from '../../store/buildRows.fixture.ts'
import { EMPTY_SNAPSHOT } from '../../store/requestSnapshot.ts'
import { createStore, type Store } from '../../store/store.ts'
import { fileList, type FileFilter } from './fileList.ts'

const server = vi.hoisted(() => ({ files: [] as number[], requests: 0 }))
vi.mock(import('../../workspaces/callForWorkspace.ts'), () => ({
  callForWorkspace: (async (_: string, { before, limit = 50 }: Omit<ListFilesArgs, 'workspace'>) => {
    server.requests += 1
    const below = before ? server.files.filter((at) => at < Number(before)) : server.files
    const page = below.slice(-limit).toReversed()
    return success<FileList>({
      files: page.map(listed),
      before: below.length > limit ? String(page.at(-1)) : null,
    })
  }) as never,
}))

function listed(at: number): ListedFile {
  return {
    channel_id: LOBBY,
    message_id: buildMessage(at + 1).id,
    thread_root: null,
    author_id: 'bea',
    created_at: new Date(at * 1000).toISOString(),
    position: 0,
    file: { id: `f${at}`, name: `${at}.png`, type: 'image/png', size: 1, width: 1, height: 1, thumb: false },
  }
}

const anything: FileFilter = { channelId: null, kind: null, author: null, terms: '' }
let store: Store
let unwatch: () => void

async function show(count: number, filter = anything): Promise<void> {
  server.files = Array.from({ length: count }, (_, at) => at)
  unwatch = fileList.watch(filter)
  await vi.advanceTimersByTimeAsync(0)
}
const names = (filter = anything) => fileList.get(filter)?.items.map(({ file }) => file.name)
const entry = buildChannelEntry()

beforeEach(() => {
  vi.useFakeTimers()
  server.requests = 0
  store = createStore()
  const response = buildBootstrap([entry])
  store.dispatch({ type: 'bootstrapReceived', response, snapshot: EMPTY_SNAPSHOT })
  setClientSession({ store, engine: {}, isLive: () => true } as unknown as ClientSession)
})
afterEach(() => {
  unwatch()
  setClientSession(null)
  vi.useRealTimers()
})

/** Publishes the message with this file. */
async function publish(at: number, change: Partial<Message> = {}): Promise<void> {
  const rev = (store.get().channels.get(LOBBY)?.entry.counters.rev ?? 0) + 1
  const { author_id, created_at, file } = listed(at)
  const message = { ...buildMessage(at + 1), author_id, created_at, attachments: [file], rev, ...change }
  store.dispatch({
    type: 'channelEventReceived',
    event: { event: 'message', payload: { channel_id: LOBBY, rev, message } },
  })
  await vi.advanceTimersByTimeAsync(0)
}

test('a new file is added at the top, and the others stay the same objects', async () => {
  await show(3)
  const [first] = fileList.get(anything)?.items ?? []
  server.files.push(3)
  await publish(3)
  expect(names()).toEqual(['3.png', '2.png', '1.png', '0.png'])
  expect(fileList.get(anything)?.items[1]).toBe(first)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(server.requests).toBe(2)
})

test('a deleted file is removed at once', async () => {
  await show(3)
  await publish(1, { deleted_at: '2026-01-01', attachments: [] })
  expect(names()).toEqual(['2.png', '0.png'])
})

test('messages without matching files, and older messages, cause no request', async () => {
  const filter: FileFilter = { ...anything, kind: 'picture', author: 'bea' }
  await show(60, filter)
  await publish(70, { attachments: [] })
  await publish(70, { author_id: 'ann' })
  await publish(70, { attachments: [{ ...listed(70).file, type: 'application/pdf' }] })
  await publish(2)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(server.requests).toBe(1)
})

test('a change without an event is detected by its number, and the list is fetched again', async () => {
  await show(3)
  server.files.splice(1, 1)
  const { counters } = entry
  store.dispatch({
    type: 'entryReceived',
    entry: { ...entry, counters: { ...counters, rev: counters.rev + 5 } },
  })
  await vi.advanceTimersByTimeAsync(5_000)
  expect(names()).toEqual(['2.png', '0.png'])
})

test('the files of a conversation that the reader loses are removed at once', async () => {
  await show(3)
  server.files = []
  store.dispatch({ type: 'channelRemoved', channelId: LOBBY })
  expect(names()).toEqual([])
})
