import sharp, { type Sharp } from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startStorage } from './startStorage.ts'
import type { StorageHome } from './startStorage.ts'

let home: StorageHome
let service: Record<string, string>

const at = (path: string): string => `${home.url}/storage/v1/${path}`
const put = async (path: string, body: Buffer, type = 'image/jpeg'): Promise<void> => {
  const headers = { ...service, 'content-type': type, 'x-upsert': 'true' }
  const response = await fetch(at(`object/${path}`), { method: 'POST', body: new Uint8Array(body), headers })
  expect(response.status).toBe(200)
}
const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer())
const render = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(at(`render/image/authenticated/${path}`), { headers: { ...service, ...headers } })

const plain = (width: number, height: number, background = '#a33'): Sharp =>
  sharp({ create: { width, height, channels: 3, background } })

beforeAll(async () => {
  home = await startStorage()
  service = { apikey: home.serviceRoleKey, authorization: `Bearer ${home.serviceRoleKey}` }
  await home.sql.query(`insert into storage.buckets (id, name, public)
    values ('b', 'b', false), ('open', 'open', true)`)
  await home.sql.query(`create policy own on storage.objects for select to authenticated
    using (bucket_id = 'b' and owner_id = auth.uid()::text)`)
  await home.sql.query(`create policy mine on storage.objects for insert to authenticated
    with check (bucket_id = 'b' and owner_id = auth.uid()::text)`)
  // Held upright by its orientation: 200 wide and 300 high as one sees it.
  const photo = await plain(300, 200)
    .jpeg()
    .withExif({ IFD0: { Artist: 'Ann' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .toBuffer()
  await put('b/photo.jpg', photo)
  await put('open/photo.jpg', photo)
})
afterAll(() => home?.stop())

describe('sizes', () => {
  test.each([
    ['width=50', 50, 75],
    ['height=60', 40, 60],
    ['width=50&height=50', 50, 50],
    ['width=50&height=50&resize=cover', 50, 50],
    ['width=50&height=50&resize=contain', 33, 50],
    ['width=50&height=50&resize=fill', 50, 50],
    ['width=50&resize=fill', 50, 300],
    ['width=0&height=60', 40, 60],
    ['quality=30', 200, 300],
    ['width=9000&height=9000&resize=contain', 200, 300],
    ['width=400&height=400', 200, 300],
    ['width=50&height=50&gravity=no', 50, 50],
    ['width=50&height=50&gravity=soea&x_offset=0.1&y_offset=3', 50, 50],
    ['width=50&height=50&gravity=sm', 50, 50],
    ['width=50&height=50&gravity=fp&x_offset=0&y_offset=1', 50, 50],
  ])('%s', async (query, width, height) => {
    const response = await render(`b/photo.jpg?${query}`)
    expect(response.status).toBe(200)
    const body = await bytesOf(response)
    expect(response.headers.get('content-length')).toBe(String(body.length))
    const { exif, icc, xmp, ...about } = await sharp(body).metadata()
    expect(about).toMatchObject({ width, height, format: 'jpeg' })
    expect([exif, icc, xmp, about.orientation]).toEqual([undefined, undefined, undefined, undefined])
  })

  test.each([
    ['', 'image/webp,image/avif,*/*', 'image/webp'],
    ['', 'image/avif,*/*', 'image/avif'],
    ['', 'image/webp;q=0,*/*', 'image/jpeg'],
    ['&format=webp', '*/*', 'image/webp'],
    ['&format=avif', '*/*', 'image/avif'],
    ['&format=origin', 'image/webp', 'image/jpeg'],
  ])('width=20%s as %s', async (query, accept, type) => {
    const response = await render(`b/photo.jpg?width=20${query}`, { accept })
    expect(response.headers.get('content-type')).toBe(type)
    expect((await sharp(await bytesOf(response)).metadata()).width).toBe(20)
  })

  test.each([
    ['width=-1', 'querystring/width must be >= 0'],
    ['width=1.5', 'querystring/width must be integer'],
    ['width=x', 'querystring/width must be integer'],
    ['width=', 'querystring/width must be integer'],
    ['width=1&width=2', 'querystring/width must be integer'],
    ['quality=19', 'querystring/quality must be >= 20'],
    ['quality=101', 'querystring/quality must be <= 100'],
    ['resize=tile', 'querystring/resize must be equal to one of the allowed values'],
    ['format=png', 'querystring/format must be equal to one of the allowed values'],
    ['format=avif%0Ax', 'querystring/format must be equal to one of the allowed values'],
    ['gravity=obj', 'querystring/gravity must be equal to one of the allowed values'],
    ['gravity=fp', "querystring must have required property 'x_offset'"],
    ['gravity=fp&x_offset=1.1&y_offset=0', 'querystring/x_offset must be <= 1'],
  ])('%s is refused', async (query, message) => {
    const response = await render(`b/photo.jpg?${query}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      statusCode: '400',
      code: 'InvalidRequest',
      error: 'Error',
      message,
    })
  })
})
