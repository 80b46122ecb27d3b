import { afterEach, expect, test, vi } from 'vitest'
import { readBytes, readPreview } from './storageClient.ts'

vi.mock('../client/getClient.ts', () => ({
  getClient: async () => ({
    auth: { getSession: async () => ({ data: { session: { access_token: 'token' } } }) },
  }),
}))
vi.mock('../client/settings.ts', () => ({
  loadSettings: async () => ({ url: 'https://b.example', key: 'k' }),
}))

afterEach(() => vi.unstubAllGlobals())

/** Storage responds with these bytes and this `content-length`. */
function answers(bytes: Uint8Array, length = bytes.length) {
  const cancelled = vi.fn<() => void>()
  vi.stubGlobal('fetch', async () => {
    const pull = (to: ReadableStreamDefaultController) => {
      if (bytes.length > 0) to.enqueue(bytes)
      to.close()
    }
    const body = new ReadableStream({ cancel: cancelled, pull }, { highWaterMark: 0 })
    return new Response(body, { headers: { 'content-length': String(length) } })
  })
  return cancelled
}

/** The beginning of a PNG of this size. */
function png(width: number, height: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(24)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, 0x89504e47)
  view.setUint32(16, width)
  view.setUint32(20, height)
  return bytes
}

test('a thumbnail of half a gigabyte is rejected before its download', async () => {
  const small = answers(png(720, 405), 2 * 1024 * 1024)
  expect((await readPreview('a/b/thumb')).size).toBe(24)
  expect(small).not.toHaveBeenCalled()
  const large = answers(png(720, 405), 500_000_000)
  await expect(readPreview('a/b/thumb')).rejects.toMatchObject({ status: 413 })
  expect(large).toHaveBeenCalledOnce()
})

test.each([
  ['a few bytes that would fill the memory', png(20_000, 20_000)],
  ['what is no picture', new TextEncoder().encode('<svg/>')],
])('%s are not shown as a preview, and can be saved', async (_what, bytes) => {
  answers(bytes)
  await expect(readPreview('a/b/file')).rejects.toMatchObject({ status: 413 })
  expect((await readBytes('a/b/file')).size).toBe(bytes.length)
})
