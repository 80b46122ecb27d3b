// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { Attachment } from '../../../wire/files.ts'
import { renderWebFiles } from './renderWebFiles.ts'

const CHANNEL = '0f0e8a52-9d1c-4c1e-8a51-111111111111'
const picture: Attachment = {
  id: '0f0e8a52-9d1c-4c1e-8a51-222222222222',
  name: 'Garden.png',
  type: 'image/png',
  size: 1200,
  width: 40,
  height: 30,
  thumb: true,
}
const others: Attachment[] = [
  { ...picture, name: 'Logo.svg', type: 'image/svg+xml', thumb: false },
  { ...picture, name: 'Page.html', type: 'text/html', width: null, height: null, thumb: false },
]
/** The first bytes of a PNG of this size. */
function pngOf(width: number, height: number): Uint8Array<ArrayBuffer> {
  const head = new DataView(new ArrayBuffer(24))
  head.setUint32(0, 0x89504e47)
  head.setUint32(16, width)
  head.setUint32(20, height)
  return new Uint8Array(head.buffer)
}

const requests: { url: string; init: RequestInit | undefined }[] = []
let respond: () => Response = () => new Response(null, { status: 400 })
let scroll: () => void

beforeAll(() => {
  i18n.loadAndActivate({ locale: 'en', locales: ['en'], messages: {} })
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) => {
    if (url.includes('linnet.json')) return Response.json({ key: 'public', installation: 'i' })
    requests.push({ url, init })
    return respond()
  })
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      targets: Element[] = []
      constructor(run: (entries: object[], self: unknown) => void) {
        scroll = () =>
          run(
            this.targets.splice(0).map((target) => ({ target, isIntersecting: true })),
            this,
          )
      }
      observe(target: Element) {
        this.targets.push(target)
      }
      unobserve() {}
    },
  )
  HTMLImageElement.prototype.decode = async () => {}
})
afterEach(() => requests.splice(0))

test('a picture is fetched once it is near the window, as a thumbnail and with the public key alone', async () => {
  respond = () => new Response(pngOf(40, 30))
  const files = renderWebFiles([picture], CHANNEL)
  expect(requests).toEqual([])
  scroll()
  await vi.waitFor(() => expect(files.querySelector('img')?.alt).toBe('Garden.png'))
  expect(requests).toHaveLength(1)
  expect(requests[0]!.url).toMatch(new RegExp(`/storage/v1/object/files/${CHANNEL}/${picture.id}/thumb$`))
  expect(requests[0]!.init).toMatchObject({
    headers: { apikey: 'public', authorization: 'Bearer public' },
    credentials: 'omit',
  })
})

test('a picture with too many pixels is not decoded, and a click tries again', async () => {
  respond = () => new Response(pngOf(60_000, 60_000))
  const files = renderWebFiles([picture], CHANNEL)
  scroll()
  await vi.waitFor(() => expect(files.textContent).toContain('couldn’t be loaded'))
  expect(files.querySelector('img')).toBeNull()
  respond = () => new Response(pngOf(40, 30))
  files.querySelector('button')!.click()
  await vi.waitFor(() => expect(files.querySelector('img')).not.toBeNull())
})

test('more than six pictures are six tiles, the last of which shows the number of the others', () => {
  const many = Array.from({ length: 9 }, (_, at) => ({ ...picture, id: `${picture.id.slice(0, -1)}${at}` }))
  const files = renderWebFiles(many, CHANNEL)
  expect(files.querySelectorAll('figure')).toHaveLength(6)
})

test('other files, also those that can run scripts, are only downloaded, with no type that a browser displays', async () => {
  respond = () => new Response('<script>', { headers: { 'content-type': 'text/html' } })
  const saved: Blob[] = []
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    saved.push(blob as Blob)
    return 'blob:saved'
  })
  const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
  const files = renderWebFiles(others, CHANNEL)
  expect(files.querySelectorAll('figure')).toHaveLength(0)
  expect(files.textContent).toContain('Logo.svg')
  files.querySelectorAll('button')[1]!.click()
  await vi.waitFor(() => expect(click).toHaveBeenCalledOnce())
  expect((click.mock.contexts[0] as HTMLAnchorElement).download).toBe('Page.html')
  expect(saved.map(({ type }) => type)).toEqual(['application/octet-stream'])
  expect(requests[0]!.url).toMatch(/\/file$/)
})
