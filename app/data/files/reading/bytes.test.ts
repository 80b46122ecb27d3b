import { afterEach, expect, test, vi } from 'vitest'
import { readBytes } from './bytes.ts'

vi.mock('../../session/client.ts', () => ({
  getClient: async () => ({
    auth: { getSession: async () => ({ data: { session: { access_token: 'token' } } }) },
  }),
}))
vi.mock('../../session/connection.ts', () => ({
  loadSettings: async () => ({ url: 'https://b.example', key: 'k' }),
}))

afterEach(() => vi.unstubAllGlobals())

test('what calls itself a thumbnail and is half a gigabyte is refused before it comes', async () => {
  const cancelled = vi.fn<() => void>()
  const answers = (size: number) =>
    vi.stubGlobal('fetch', async () => {
      const body = new ReadableStream({ cancel: cancelled, pull: (c) => c.close() }, { highWaterMark: 0 })
      return new Response(body, { headers: { 'content-length': String(size) } })
    })
  answers(2 * 1024 * 1024)
  expect(await readBytes('a/b/thumb')).toBeInstanceOf(Blob)
  answers(500_000_000)
  expect(await readBytes('a/b/file')).toBeInstanceOf(Blob)
  expect(cancelled).not.toHaveBeenCalled()
  await expect(readBytes('a/b/thumb')).rejects.toMatchObject({ status: 413 })
  expect(cancelled).toHaveBeenCalledOnce()
})
