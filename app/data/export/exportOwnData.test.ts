import { expect, test, vi } from 'vitest'
import { buildMessage } from '../store/buildRows.fixture.ts'
import { exportOwnData } from './exportOwnData.ts'
import type * as requests from './requestJson.ts'

interface StoredMessage {
  id: string
  author_id: string
  seq: number
  thread_root: string | null
  thread_seq: number | null
}

/** Rows of each table, and how many the server returns at most: the key `max_rows` of `config.toml`. */
const stored = vi.hoisted(() => ({
  maxRows: 40,
  tables: {} as Record<string, object[]>,
  messages: [] as StoredMessage[],
}))

vi.mock('./requestJson.ts', async (importOriginal) => ({
  ...(await importOriginal<typeof requests>()),
  requestJson: (query: string): Promise<unknown> => {
    const { pathname, searchParams } = new URL(query, 'http://server.example')
    const limit = Math.min(Number(searchParams.get('limit')), stored.maxRows)
    if (pathname === '/rpc/messages_by_ids') return Promise.resolve({ messages: [] })
    if (pathname === '/messages') {
      const conditions = searchParams.get('or') ?? ''
      const after = Number(
        /id\.gt\.(\d+)|^gt\.(\d+)/
          .exec(searchParams.get('id') ?? conditions)
          ?.slice(1)
          .find(Boolean) ?? -1,
      )
      const isFound = searchParams.has('author_id')
        ? ({ author_id }: StoredMessage) => `eq.${author_id}` === searchParams.get('author_id')
        : (message: StoredMessage) => meets(message, conditions)
      const found = stored.messages.filter((message) => Number(message.id) > after && isFound(message))
      return Promise.resolve(found.slice(0, limit))
    }
    const from = Number(searchParams.get('offset') ?? 0)
    return Promise.resolve((stored.tables[pathname.slice(1)] ?? []).slice(from, from + limit))
  },
}))

/** Whether a message meets one of the conditions of a request for context. */
function meets({ id, seq, thread_root, thread_seq }: StoredMessage, conditions: string): boolean {
  const isBetween = (number: number | null, from: string, to: string) =>
    number !== null && Number(from) <= number && number <= Number(to)
  return (
    Array.from(conditions.matchAll(/id\.eq\.(\d+)/g)).some(([, root]) => root === id) ||
    Array.from(conditions.matchAll(/and\(seq\.gte\.(\d+),seq\.lte\.(\d+)\)/g)).some(
      ([, from, to]) => thread_root === null && isBetween(seq, from!, to!),
    ) ||
    Array.from(
      conditions.matchAll(/thread_root\.eq\.(\d+),thread_seq\.gte\.(\d+),thread_seq\.lte\.(\d+)/g),
    ).some(([, root, from, to]) => thread_root === root && isBetween(thread_seq, from!, to!))
  )
}

const message = (at: number, author: string, change = {}) => ({
  ...buildMessage(at),
  id: String(at),
  seq: at,
  author_id: author,
  body: `text ${at} of ${author}`,
  attachments: [],
  ...change,
})

const channel = (id: number) => ({ id: String(id), name: `channel ${id}`, kind: 'public' })

test('an export has all rows where the server returns fewer at once than were requested', async () => {
  stored.tables = {
    drafts: Array.from({ length: 100 }, (_, id) => ({ id })),
    channels: Array.from({ length: 50 }, (_, id) => channel(id)),
  }
  stored.messages = Array.from({ length: 90 }, (_, at) => message(at + 1, 'ann'))
  const { counts } = JSON.parse((await exportedFiles()).get('manifest.json')!)
  expect(counts['drafts']).toBe(100)
  // The same messages in each channel.
  expect(counts['messages']).toBe(50 * 90)
})

test('own messages have up to three messages before and one after as context, each once', async () => {
  stored.tables = { channels: [channel(1)], profiles: [{ id: 'bea', name: 'Bea' }] }
  stored.messages = Array.from({ length: 30 }, (_, at) =>
    message(at + 1, [10, 12, 25].includes(at + 1) ? 'ann' : 'bea'),
  )
  const files = await exportedFiles()
  const page = JSON.parse(files.get('messages/1-1.json')!)
  expect(page.messages.map(({ id }: StoredMessage) => id)).toEqual(['10', '12', '25'])
  expect(page.context.map(({ id }: StoredMessage) => id)).toEqual([
    '7',
    '8',
    '9',
    '11',
    '13',
    '22',
    '23',
    '24',
    '26',
  ])
  expect(page.context[0]).toMatchObject({ author: 'Bea', body: 'text 7 of bea' })
  const html = files.get('messages/1-1.html')!
  expect(html.match(/<section>/g)).toHaveLength(2)
  expect(html.match(/<span class="tag">context<\/span>/g)).toHaveLength(9)
  expect(html).toMatch(/<article id="10"><strong><bdi>Ann<\/bdi>/)
  expect(html).not.toContain('text 6 of bea')
})

test('a reply has the first message of its thread as context, and the replies beside it', async () => {
  stored.tables = { channels: [channel(1)], profiles: [{ id: 'bea', name: 'Bea' }] }
  const reply = (at: number, author: string) =>
    message(at, author, { seq: null, thread_root: '1', thread_seq: at - 10 })
  stored.messages = [
    message(1, 'bea'),
    message(2, 'bea'),
    ...Array.from({ length: 9 }, (_, at) => reply(11 + at, at === 6 ? 'ann' : 'bea')),
  ]
  const { context } = JSON.parse((await exportedFiles()).get('messages/1-1.json')!)
  expect(context.map(({ id }: StoredMessage) => id)).toEqual(['1', '14', '15', '16', '18'])
})

test('a notice and a deleted message have no context', async () => {
  stored.tables = { channels: [channel(1)] }
  stored.messages = [
    message(1, 'bea'),
    message(2, 'ann', { kind: 'system', body: '', system: { event: 'joined' } }),
    message(3, 'bea'),
    message(4, 'ann', { deleted_at: '2026-11-24T09:00:00Z', body: '' }),
    message(5, 'bea'),
  ]
  const files = await exportedFiles()
  expect(JSON.parse(files.get('messages/1-1.json')!).context).toEqual([])
  expect(files.get('messages/1-1.html')).toContain('<bdi>Ann</bdi> joined.')
})

async function exportedFiles(): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  const entries = exportOwnData({
    profileId: 'ann',
    name: 'Ann',
    emojiNamed: () => null,
    onProgress: () => {},
    waitAfterFailure: () => Promise.reject(new Error('a request failed')),
    signal: new AbortController().signal,
  })
  for await (const { name, input } of entries) if (typeof input === 'string') files.set(name, input)
  return files
}
