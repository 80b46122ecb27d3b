// @vitest-environment happy-dom
import { beforeEach, expect, it, vi } from 'vitest'
import { LIMITS } from '../../../../wire/limits.ts'
import { uploadChunkSize } from './maxFileSize.ts'

vi.mock('../../client/settings.ts', () => ({
  loadSettings: () =>
    Promise.resolve({ url: 'https://ref.example', key: 'sb_publishable_x', installation: 'x' }),
}))

const MiB = 1024 * 1024
let requests: [string, RequestInit][]
let respond: () => Promise<Response>

beforeEach(() => {
  vi.resetModules()
  requests = []
  respond = () => Promise.resolve(new Response(null, { headers: { 'tus-max-size': String(50 * MiB) } }))
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    requests.push([url, init])
    return respond()
  })
})

const maxFileSize = async (): Promise<number> => (await import('./maxFileSize.ts')).maxFileSize()

it('the maximum file size is the limit of the project where that is below the limit of the bucket, and is requested once', async () => {
  expect([await maxFileSize(), await maxFileSize()]).toEqual([50 * MiB, 50 * MiB])
  expect(requests).toEqual([
    [
      'https://ref.example/storage/v1/upload/resumable',
      expect.objectContaining({ method: 'OPTIONS', headers: { apikey: 'sb_publishable_x' } }),
    ],
  ])
})

it.each(['', '0', 'many', String(LIMITS.fileBytes * 2)])(
  'is the limit of the bucket for "%s"',
  async (stated) => {
    respond = () => Promise.resolve(new Response(null, { headers: { 'tus-max-size': stated } }))
    expect(await maxFileSize()).toBe(LIMITS.fileBytes)
  },
)

it('requests the maximum file size again after a failure', async () => {
  await activateTexts()
  const limited = respond
  respond = () => Promise.reject(new TypeError('offline'))
  expect(await maxFileSize()).toBe(LIMITS.fileBytes)
  respond = limited
  expect(await maxFileSize()).toBe(50 * MiB)
})

async function activateTexts(): Promise<void> {
  const { i18n } = await import('@lingui/core')
  i18n.loadAndActivate({ locale: 'en', messages: {} })
}

/** A file of this size without its bytes. */
function fileOf(size: number): File {
  const file = new File(['x'], 'film.mov')
  Object.defineProperty(file, 'size', { value: size })
  return file
}

it('refuses a file above the maximum before its upload starts, and names the maximum', async () => {
  await activateTexts()
  const { prepareFile } = await import('./prepareFile.ts')
  expect(await prepareFile(fileOf(51 * MiB))).toEqual({
    ok: false,
    failure: {
      name: 'file_too_large',
      message: '“film.mov” is too large. The limit is 50 MB.',
      isRetryable: false,
    },
  })
  expect(await prepareFile(fileOf(50 * MiB))).toMatchObject({ ok: true })
})

it('does not request the maximum file size for a file that fits into one request', async () => {
  const { prepareFile } = await import('./prepareFile.ts')
  expect(await prepareFile(fileOf(uploadChunkSize))).toMatchObject({ ok: true })
  expect(requests).toEqual([])
})
