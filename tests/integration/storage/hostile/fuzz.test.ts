import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { dirname } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { png } from './hostilePictures.ts'
import { declareOwnFolders } from '../support/ownFolders.ts'
import { ownOnly } from '../support/server.ts'
import { people, startStorage } from '../support/startStorage.ts'
import type { StorageServer } from '../support/startStorage.ts'

let server: StorageServer
let bea: Record<string, string>
let links: string[]

beforeAll(async () => {
  server = await startStorage({ config: '[storage]\nfile_size_limit = "64KiB"' })
  await declareOwnFolders(server)
  bea = await server.headersOf('bea')
  const files = server.asService().storage.from('shown')
  await files.upload('p.png', png(4, 4, { lines: Buffer.alloc(52) }), { contentType: 'image/png' })
  const shown = [
    await files.createSignedUrl('p.png', 60),
    await files.createSignedUrl('p.png', 60, { transform: { width: 2 } }),
    await files.createSignedUploadUrl('new'),
  ]
  links = shown.map(({ data }) => data!.signedUrl.slice(`${server.url}/storage/v1/`.length))
})
afterAll(() => server?.stop())

/** One of the words in a line. */
const oneOf = (words: string): fc.Arbitrary<string> => fc.constantFrom(...words.split(' '))

/** Strings that have a meaning for some parser. */
const piece = fc.oneof(
  oneOf('files shown list list-v2 copy move cdn sign public info authenticated upload copy bucket'),
  oneOf('.. . %2e%2e %2F %00 %FF % %u0041 \\ ; ::$DATA con ~ * \' " ` <x> {} $1 %E2%80%AE %F0%9F%90%A6'),
  fc.constantFrom(people.bea, people.omar, 'x'.repeat(2000)),
  fc.string({ maxLength: 8 }).map(encodeURIComponent),
)
const path = fc
  .tuple(fc.constantFrom('object', 'bucket', 'upload', 'render'), fc.array(piece, { maxLength: 5 }))
  .map(([start, rest]) => [start, ...rest].join('/'))

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.constantFrom('', '\0', '%', '_', '../', '\uD800'),
)
const anything = fc.oneof(
  text,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(text, { maxLength: 3 }),
)
const fields = oneOf(
  'prefix limit offset sortBy search prefixes name id public file_size_limit allowed_mime_types bucketId sourceKey destinationKey expiresIn paths cursor with_delimiter copyMetadata metadata __proto__',
)
const json = fc
  .dictionary(fields, fc.oneof(anything, fc.dictionary(oneOf('column order x'), anything)))
  .map((value) => JSON.stringify(value))

const form = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '--x',
        '--x--',
        '\r\n',
        '\r\n\r\n',
        'Content-Disposition: form-data; name="a"',
        ' filename="b"',
      ),
      fc.constantFrom('Content-Disposition: form-data; name=""; filename="a"\r\n\r\nx', 'Content-Type: a/b'),
      text,
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join('\r\n'))

const attempt = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'),
  path,
  query: fc.constantFrom(
    '',
    '?download=',
    '?download=%0d%0aa:b',
    '?token=x.y.z',
    '?limit=-1&offset=x',
    '?apikey=',
  ),
  type: fc.constantFrom(
    'application/json',
    'multipart/form-data; boundary=x',
    'multipart/form-data',
    'text/plain',
    'x',
  ),
  extra: fc.constantFrom(
    ...([
      {},
      { range: 'bytes=0-' },
      { range: 'bytes=99999999999999999999-' },
      { 'x-upsert': 'true' },
    ] as const),
    ...([{ 'x-metadata': '!' }, { 'if-modified-since': 'x' }, { 'cache-control': 'é' }] as const),
  ),
  body: fc.oneof(json, form, text),
})

/** Values that a header can carry. */
const value = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'aZ09 ,;:=+/-"\'%*é'), maxLength: 12 }),
  fc.integer().map(String),
  oneOf('0 1 -1 1e3 00 9007199254740993 99999999999999999999 Infinity NaN 0x10 1.0.0'),
  oneOf('POST PATCH HEAD DELETE partial final;/a sha1 md5 bucketName bucketName,bucketName'),
  fc.base64String({ maxLength: 24 }).map((text) => `sha1 ${text}`),
  fc
    .tuple(oneOf('files shown none'), fc.string({ maxLength: 12 }))
    .map((pair) => pair.map((one) => Buffer.from(one).toString('base64')))
    .map(([bucket, name]) => `bucketName ${bucket},objectName ${name},metadata e30=`),
)
const piecewise = fc.record({
  method: fc.constantFrom('POST', 'PATCH', 'HEAD', 'DELETE'),
  path: fc
    .oneof(
      fc.constant(''),
      fc
        .array(piece, { minLength: 1, maxLength: 3 })
        .map((rest) => `/${Buffer.from(rest.join('/')).toString('base64url')}`),
      piece.map((one) => `/${one}`),
    )
    .chain((rest) => fc.constantFrom(`upload/resumable${rest}`, `upload/resumable/sign${rest}`)),
  query: fc.constant(''),
  type: fc.constantFrom('application/offset+octet-stream', 'text/plain'),
  extra: fc
    .dictionary(
      oneOf(
        'upload-length upload-offset upload-metadata upload-checksum upload-concat upload-defer-length x-http-method-override x-signature x-upsert',
      ),
      value,
    )
    .map((headers): Record<string, string> => Object.assign({ 'tus-resumable': '1.0.0' }, headers)),
  body: text,
})

const rendered = fc.record({
  method: fc.constantFrom('GET', 'HEAD'),
  path: fc.constantFrom('render/image/public/shown/p.png', 'render/image/authenticated/shown/p.png'),
  query: fc
    .array(
      fc.tuple(
        oneOf('width height resize format quality gravity x_offset y_offset download token'),
        fc.oneof(value, oneOf('10 2500 cover contain fill origin avif webp sm fp noea 0.5 -0 20 100')),
      ),
      { maxLength: 5 },
    )
    .map((pairs) => `?${new URLSearchParams(pairs).toString()}`),
  type: fc.constant('text/plain'),
  extra: fc.record({ accept: fc.oneof(value, fc.constant('image/avif;q=0.0,image/webp;q=1')) }),
  body: fc.constant(''),
})

/** A request of any of these generators. */
interface Attempt {
  method: string
  path: string
  query: string
  type: string
  extra: Record<string, string | undefined>
  body: string
}

/** The status, or 0 where the connection ended without one. */
function send(o: Attempt): Promise<number> {
  const { hostname, port } = new URL(server.url)
  const body = o.method === 'GET' || o.method === 'HEAD' ? '' : o.body
  return new Promise((resolve) => {
    try {
      const outgoing = request({
        hostname,
        port,
        // A server under load closes the connection of a refused upload, so the next request must not reuse it.
        agent: false,
        method: o.method,
        path: `/storage/v1/${o.path}${o.query}`,
        headers: { ...bea, ...o.extra, 'content-type': o.type, 'content-length': Buffer.byteLength(body) },
      })
      outgoing.on('response', (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode ?? 0))
        response.on('error', () => resolve(0))
      })
      outgoing.on('error', () => resolve(0))
      outgoing.end(body)
    } catch {
      // A path that Node's client won't send at all.
      resolve(400)
    }
  })
}

const isRefusal = (status: number): boolean => status === 501 || (status >= 200 && status < 500)

test('no header of a resumable upload and no rendition size causes a 500', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(piecewise, rendered), async (one) => {
      const status = await send(one)
      expect(isRefusal(status), `${status}`).toBe(true)
    }),
    { numRuns: Number(process.env.LINNET_FUZZ_RUNS ?? 250) },
  )
  expect(server.log.filter((line) => line.includes(' error '))).toEqual([])
})

test('a signed URL with one flipped bit is refused', async () => {
  const bytesOf = (token: string): string =>
    token
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('hex'))
      .join('.')
  const open = (link: string, token: string): Promise<number> => {
    const [path, rest] = link.split('?token=') as [string, string]
    const method = path.includes('upload/sign') ? 'PUT' : 'GET'
    const query = `?token=${encodeURIComponent(token)}`
    return send({ method, path, query, type: 'text/plain', extra: {}, body: rest.slice(0, 1) })
  }
  const tokenOf = (link: string): string => link.split('?token=')[1]!
  await fc.assert(
    fc.asyncProperty(fc.nat(2), fc.nat(), fc.nat(6), async (which, at, bit) => {
      const token = tokenOf(links[which]!)
      const turned = Buffer.from(token)
      turned[at % turned.length]! ^= 1 << bit
      // Two base64url texts can differ in the last character and decode to the same bytes: then the token stays valid.
      fc.pre(bytesOf(turned.toString('latin1')) !== bytesOf(token))
      expect(await open(links[which]!, turned.toString('latin1'))).toBe(400)
    }),
    { numRuns: Number(process.env.LINNET_FUZZ_RUNS ?? 150) },
  )
  for (const link of links) expect(await open(link, tokenOf(link))).toBe(200)
})

test('no request causes a 500, a crash or a file outside the folder', ownOnly, async () => {
  const around = readdirSync(dirname(server.dir)).toSorted()
  await fc.assert(
    fc.asyncProperty(attempt, async (one) => {
      const status = await send(one)
      expect(isRefusal(status), `${status}`).toBe(true)
    }),
    { numRuns: Number(process.env.LINNET_FUZZ_RUNS ?? 1500) },
  )
  expect(server.log.filter((line) => line.includes(' error '))).toEqual([])
  expect(readdirSync(dirname(server.dir)).toSorted()).toEqual(around)
  expect(readdirSync(server.dir).toSorted()).toEqual([
    'incoming',
    'journal',
    'objects',
    'rendered',
    'resumable',
  ])
  expect(readdirSync(`${server.dir}/incoming`)).toEqual([])
  expect(readdirSync(`${server.dir}/journal`)).toEqual([])
})
