import { expect, test, vi } from 'vitest'
import { exportOwnData } from './exportOwnData.ts'
import type * as requests from './requestRows.ts'

/** Rows of each table, and how many the server returns at most: the key `max_rows` of `config.toml`. */
const stored = vi.hoisted(() => ({ maxRows: 100, tables: {} as Record<string, object[]> }))

vi.mock('./requestRows.ts', async (importOriginal) => ({
  ...(await importOriginal<typeof requests>()),
  requestRows: <T>(query: string): Promise<T[]> => {
    const { pathname, searchParams } = new URL(query, 'http://server.example')
    const rows = stored.tables[pathname.slice(1)] ?? []
    const after = /id\.gt\.(\d+)/.exec(searchParams.get('or') ?? '')?.[1]
    const from = after === undefined ? Number(searchParams.get('offset') ?? 0) : Number(after) + 1
    const limit = Math.min(Number(searchParams.get('limit')), stored.maxRows)
    return Promise.resolve(rows.slice(from, from + limit) as T[])
  },
}))

test('an export has all rows where the server returns fewer at once than were requested', async () => {
  stored.tables = {
    drafts: Array.from({ length: 250 }, (_, id) => ({ id })),
    channels: Array.from({ length: 110 }, (_, id) => ({
      id: String(id),
      name: `channel ${id}`,
      kind: 'public',
    })),
    messages: Array.from({ length: 230 }, (_, id) => ({
      id: String(id),
      body: 'text',
      created_at: '2026-11-24T09:00:00Z',
      edited_at: null,
      attachments: [],
    })),
  }
  const { counts } = await exportedManifest()
  expect(counts['drafts']).toBe(250)
  // The same messages in each channel.
  expect(counts['messages']).toBe(110 * 230)
})

async function exportedManifest(): Promise<{ counts: Record<string, number> }> {
  let manifest = '{}'
  const entries = exportOwnData({
    profileId: 'ann',
    name: 'Ann',
    renderBodies: (bodies) => Promise.resolve(bodies),
    onProgress: () => {},
    waitAfterFailure: () => Promise.reject(new Error('a request failed')),
    signal: new AbortController().signal,
  })
  for await (const { name, input } of entries) if (name === 'manifest.json') manifest = input as string
  return JSON.parse(manifest)
}
