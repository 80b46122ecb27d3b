import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../../backend/config/loadConfig.ts'
import { createLogger } from '../../../../backend/logging/logger.ts'
import { createStorageService } from '../../../../backend/storage/createStorageService.ts'
import { createThumbnails } from '../../../../backend/optional/thumbnails/createThumbnails.ts'
import { hostilePictures } from '../hostile/hostilePictures.ts'
import type { HostilePicture } from '../hostile/hostilePictures.ts'
import { ownOnly } from '../support/server.ts'
import { startStorage } from '../support/startStorage.ts'
import type { Person, StorageServer } from '../support/startStorage.ts'

let server: StorageServer
let service: Record<string, string>

const at = (path: string): string => `${server.url}/storage/v1/${path}`
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

/** Pixel colours that identify a picture. */
async function colourOf(picture: Buffer): Promise<string> {
  const { dominant } = await sharp(picture).stats()
  return dominant.r > 128 ? 'red' : 'blue'
}

const kept = (): string[] =>
  readdirSync(join(server.dir, 'rendered'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)

async function isCleanPicture(response: Response, body: Buffer): Promise<boolean> {
  if (response.status !== 200 || response.headers.get('content-type') !== 'image/webp') return false
  const { format, exif, icc, width } = await sharp(body).metadata()
  return format === 'webp' && !exif && !icc && width <= 16 && !body.includes('<script')
}

beforeAll(async () => {
  server = await startStorage()
  service = { apikey: server.serviceRoleKey, authorization: `Bearer ${server.serviceRoleKey}` }
  await server.sql.query(`insert into storage.buckets (id, name, public)
    values ('b', 'b', false), ('open', 'open', true)`)
  await server.sql.query(`create policy own on storage.objects for select to authenticated
    using (bucket_id = 'b' and owner_id = auth.uid()::text)`)
  await server.sql.query(`create policy mine on storage.objects for insert to authenticated
    with check (bucket_id = 'b' and owner_id = auth.uid()::text)`)
  // Rotated by its EXIF orientation: displayed 200 wide and 300 high.
  const photo = await plain(300, 200)
    .jpeg()
    .withExif({ IFD0: { Artist: 'Ann' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .toBuffer()
  await put('b/photo.jpg', photo)
  await put('open/photo.jpg', photo)
})
afterAll(() => server?.stop())

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
    ['width=99999999999999999999&height=30&resize=contain', 20, 30],
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
    ['', 'image/webp; q=0.00, image/avif;q=0.1', 'image/avif'],
    ['', 'image/avif;q=0', 'image/jpeg'],
    ['', 'IMAGE/WEBP;q=0.001', 'image/webp'],
    ['', 'image/*', 'image/jpeg'],
    ['', '', 'image/jpeg'],
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
    ['height=Infinity', 'querystring/height must be integer'],
    ['y_offset=', 'querystring/y_offset must be number'],
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

describe('links', () => {
  const signed = async (name: string, transform?: object): Promise<string> => {
    const { data, error } = await server
      .asService()
      .storage.from('b')
      .createSignedUrl(name, 60, transform && { transform })
    expect(error).toBeNull()
    return data!.signedUrl
  }

  test('a signed URL returns the transformation that it was signed for, whatever the query', async () => {
    const link = await signed('photo.jpg', { width: 30, height: 30, quality: 40 })
    expect(link).toContain('/render/image/sign/b/photo.jpg?token=')
    const response = await fetch(`${link}&width=120&height=120&format=avif&resize=fill`)
    expect(response.headers.get('x-transformations')).toBe('height:30,width:30,resizing_type:fill,quality:40')
    expect(response.headers.get('cache-control')).toMatch(/^private, max-age=\d\d$/)
    expect(Date.parse(response.headers.get('expires')!)).toBeGreaterThan(0)
    expect(await sharp(await bytesOf(response)).metadata()).toMatchObject({ width: 30, format: 'jpeg' })
    const origin = await signed('photo.jpg', { width: 30, format: 'origin' })
    const kind = await fetch(origin, { headers: { accept: 'image/webp' } })
    expect(kind.headers.get('content-type')).toBe('image/jpeg')
  })

  test('a signed URL gives no access to other objects, to the original or to an upload', async () => {
    await put('b/other.jpg', await plain(40, 40).jpeg().toBuffer())
    const link = await signed('photo.jpg', { width: 30 })
    const elsewhere = [
      link.replace('b/photo.jpg', 'b/other.jpg'),
      link.replace('b/photo.jpg', 'open/photo.jpg'),
      link.replace('/render/image/sign/', '/object/sign/'),
    ]
    for (const url of elsewhere) {
      const response = await fetch(url)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ code: 'InvalidSignature' })
    }
    const upload = await fetch(link.replace('/render/image/sign/', '/object/upload/sign/'), {
      method: 'PUT',
      body: 'x',
    })
    expect(await upload.json()).toMatchObject({ code: 'InvalidSignature' })
    const bare = await fetch(at('render/image/sign/b/photo.jpg?width=10'))
    expect(await bare.json()).toMatchObject({ message: "querystring must have required property 'token'" })
    const forged = await fetch(at(`render/image/sign/b/photo.jpg?token=${server.serviceRoleKey}`))
    expect(await forged.json()).toMatchObject({ code: 'InvalidJWT' })
  })

  test('a signed URL of the original is rendered unchanged, and an invalid transform is not signed', async () => {
    const link = await signed('photo.jpg')
    const response = await fetch(link.replace('/object/sign/', '/render/image/sign/'))
    expect(await sharp(await bytesOf(response)).metadata()).toMatchObject({ width: 200, height: 300 })
    const refused = await server
      .asService()
      .storage.from('b')
      .createSignedUrl('photo.jpg', 60, { transform: { width: 'x' as never } })
    expect(refused.error?.message).toBe('body/transform/width must be integer')
  })

  test('storage-js: public URL, download, download with a file name', async () => {
    const { publicUrl } = server
      .asService()
      .storage.from('open')
      .getPublicUrl('photo.jpg', {
        transform: { width: 25, height: 25, resize: 'contain', format: 'origin', quality: 50 },
      }).data
    const shown = await fetch(publicUrl)
    expect(await sharp(await bytesOf(shown)).metadata()).toMatchObject({ width: 17, height: 25 })
    const { data } = await server
      .asService()
      .storage.from('b')
      .download('photo.jpg', { transform: { width: 20 } })
    expect(data!.type).toBe('image/jpeg')
    const saved = await render('b/photo.jpg?width=20&download=a%22b.jpg')
    expect(saved.headers.get('content-disposition')).toMatch(/^attachment; filename="a_b.jpg"/)
  })
})

describe('rights', () => {
  const as = async (person: Person, path: string): Promise<Response> =>
    fetch(at(`render/image/${path}`), { headers: await server.headersOf(person) })

  test('only users who can read the object can read its renditions, cached ones included', async () => {
    const { error } = await (
      await server.as('ann')
    ).storage
      .from('b')
      .upload('ann.png', await plain(30, 30).png().toBuffer(), { contentType: 'image/png' })
    expect(error).toBeNull()
    expect((await as('ann', 'authenticated/b/ann.png?width=10')).status).toBe(200)
    const others = [
      await as('bea', 'authenticated/b/ann.png?width=10'),
      await as('ann', 'public/b/ann.png?width=10'),
      await as('bea', 'authenticated/open/ann.png?width=10'),
      await as('ann', 'public/open/..%2Fb%2Fann.png?width=10'),
      await as('ann', 'authenticated/b%2F..%2Fb/ann.png?width=10'),
      await fetch(at('render/image/authenticated/b/ann.png?width=10'), {
        headers: { apikey: server.anonKey, authorization: 'Bearer x.y.z' },
      }),
    ]
    for (const response of others) {
      expect(response.status).toBe(400)
      expect(response.headers.get('content-type')).toMatch(/json/)
      expect(response.headers.get('cache-control')).toBe('no-store')
    }
    // Users who cannot read the object get the same error as for a missing object.
    expect(await others[0]!.json()).toEqual(
      await (await as('bea', 'authenticated/b/none.png?width=10')).json(),
    )
  })

  test('policies receive the operation of the request', async () => {
    await server.sql.query(`create policy named on storage.objects for select to authenticated
      using (name = 'photo.jpg' and storage.operation() = 'storage.render.image_authenticated')`)
    expect((await as('omar', 'authenticated/b/photo.jpg?width=10')).status).toBe(200)
    const { error } = await (await server.as('omar')).storage.from('b').download('photo.jpg')
    expect(error).not.toBeNull()
  })
})

describe('cached renditions', () => {
  test('an overwrite invalidates cached renditions, and a deletion deletes them all', ownOnly, async () => {
    await put('b/turn.png', await plain(30, 30, '#c00').png().toBuffer())
    await put('open/turn.png', await plain(30, 30, '#00c').png().toBuffer())
    const first = await render('b/turn.png?width=10&format=origin')
    expect(await colourOf(await bytesOf(first))).toBe('red')
    expect(await colourOf(await bytesOf(await render('open/turn.png?width=10&format=origin')))).toBe('blue')
    const before = kept().length
    await put('b/turn.png', await plain(30, 30, '#00c').png().toBuffer())
    expect(kept()).toHaveLength(before - 1)
    const second = await render('b/turn.png?width=10&format=origin', {
      'if-none-match': first.headers.get('etag')!,
    })
    expect(second.status).toBe(200)
    expect(await colourOf(await bytesOf(second))).toBe('blue')
    expect(kept()).toHaveLength(before)
    await server.asService().storage.from('b').remove(['turn.png'])
    expect(kept()).toHaveLength(before - 1)
    expect((await render('b/turn.png?width=10&format=origin')).status).toBe(400)
  })

  test('concurrent requests store one rendering, and conditional requests get 304', ownOnly, async () => {
    await put('b/many.png', await plain(30, 30).png().toBuffer())
    const before = kept().length
    const all = await Promise.all(Array.from({ length: 8 }, () => render('b/many.png?width=10')))
    expect(all.map((response) => response.status)).toEqual(Array.from({ length: 8 }, () => 200))
    expect(kept()).toHaveLength(before + 1)
    const [first] = all
    const fields = Object.fromEntries(first!.headers)
    expect(fields).toMatchObject({
      'cache-control': 'no-cache',
      'content-security-policy': expect.stringContaining('sandbox'),
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'none',
      'x-transformations': 'width:10,resizing_type:fill',
      vary: expect.stringContaining('Accept'),
      etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
    })
    const original = await fetch(at('object/b/many.png'), { headers: service })
    expect(fields.etag).not.toBe(original.headers.get('etag'))
    const again = await render('b/many.png?width=10', { 'if-none-match': fields.etag! })
    expect([again.status, again.headers.get('etag')]).toEqual([304, fields.etag])
    expect((await render('b/many.png?width=11', { 'if-none-match': fields.etag! })).status).toBe(200)
    const head = await fetch(at('render/image/authenticated/b/many.png?width=10'), {
      method: 'HEAD',
      headers: service,
    })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, fields['content-length']])
  })

  test('an animation stays animated where the format supports it', async () => {
    const frames = ['#f00', '#0f0', '#00f'].map((colour) => plain(40, 20, colour).png().toBuffer())
    const film = await sharp(await Promise.all(frames), { join: { animated: true } })
      .gif({ delay: [100, 200, 300], loop: 2 })
      .toBuffer()
    await put('b/film.gif', film, 'image/gif')
    for (const [query, about] of [
      ['width=20', { format: 'gif', pages: 3, width: 20, pageHeight: 10, loop: 2, delay: [100, 200, 300] }],
      ['width=10&height=10&format=webp', { format: 'webp', pages: 3, width: 10, pageHeight: 10 }],
    ] as const) {
      const body = await bytesOf(await render(`b/film.gif?${query}`))
      expect(await sharp(body, { animated: true }).metadata()).toMatchObject(about)
    }
    const still = await sharp(await bytesOf(await render('b/film.gif?width=20&format=avif'))).metadata()
    expect([still.format, still.pages ?? 1]).toEqual(['heif', 1])
  })
})

test('hostile files are rendered cleanly or refused, and the next file is rendered', ownOnly, async () => {
  const files = await hostilePictures()
  expect(files.length).toBeGreaterThan(150)
  const versions = files.map(() => randomUUID())
  for (const [i, { bytes }] of files.entries()) {
    const shard = join(server.dir, 'objects', versions[i]!.slice(0, 2))
    mkdirSync(shard, { recursive: true })
    writeFileSync(join(shard, versions[i]!), bytes)
  }
  await server.sql.query(
    `insert into storage.objects (bucket_id, name, version, metadata)
      select 'b', 'hostile/' || v, v, '{"mimetype":"image/png"}' from unnest($1::text[]) v`,
    [versions],
  )
  const faults: string[] = []
  const open = async ({ name, refused }: HostilePicture, version: string): Promise<void> => {
    const response = await render(`b/hostile/${version}?width=16&height=16&format=webp`)
    const body = await bytesOf(response)
    const isRefusal = response.status === 400 && body.includes('"code":"InvalidRequest"')
    if (isRefusal || (!refused && (await isCleanPicture(response, body)))) return
    faults.push(`${name}: ${response.status} ${body.toString('latin1', 0, 200)}`)
  }
  for (let at = 0; at < files.length; at += 16) {
    await Promise.all(files.slice(at, at + 16).map((file, i) => open(file, versions[at + i]!)))
  }
  expect(faults).toEqual([])
  expect((await render('b/photo.jpg?width=31')).status).toBe(200)
})

test('disabled image transformation has no route', ownOnly, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-plain-'))
  writeFileSync(join(dir, 'config.toml'), '[storage.image_transformation]\nenabled = false\n')
  const { app, close } = await createStorageService({
    pool: server.sql,
    dir: join(dir, 'storage'),
    verifyToken: async () => ({ ok: false, fault: 'signature', message: 'nobody' }),
    secret: 'another',
    config: loadConfig(dir),
    createThumbnails,
    log: createLogger({ format: 'text', minLevel: 'error', write: () => {} }),
  })
  const response = await app.request('/render/image/public/open/photo.jpg')
  expect([response.status, await response.json()]).toMatchObject([404, { code: 'InvalidRequest' }])
  await close()
  rmSync(dir, { recursive: true, force: true })
})
