import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { dirname } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { declareOwnFolders } from './ownFolders.ts'
import { people, startStorage } from './startStorage.ts'
import type { StorageHome } from './startStorage.ts'

let home: StorageHome
let bea: Record<string, string>

beforeAll(async () => {
  home = await startStorage({ config: '[storage]\nfile_size_limit = "64KiB"' })
  await declareOwnFolders(home)
  bea = await home.headersOf('bea')
})
afterAll(() => home?.stop())

/** One of the words in a line. */
const oneOf = (words: string): fc.Arbitrary<string> => fc.constantFrom(...words.split(' '))

/** Pieces that have meant something to some parser. */
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

/** The status, or 0 where the connection ended without one. */
function send(o: typeof attempt extends fc.Arbitrary<infer T> ? T : never): Promise<number> {
  const { hostname, port } = new URL(home.url)
  const body = o.method === 'GET' || o.method === 'HEAD' ? '' : o.body
  return new Promise((resolve) => {
    try {
      const asked = request({
        hostname,
        port,
        method: o.method,
        path: `/storage/v1/${o.path}${o.query}`,
        headers: { ...bea, ...o.extra, 'content-type': o.type, 'content-length': Buffer.byteLength(body) },
      })
      asked.on('response', (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode ?? 0))
        response.on('error', () => resolve(0))
      })
      asked.on('error', () => resolve(0))
      asked.end(body)
    } catch {
      // A path that Node's client won't send at all.
      resolve(400)
    }
  })
}

test('nothing that is sent brings a fault, a crash or a file outside its place', async () => {
  const around = readdirSync(dirname(home.dir)).toSorted()
  await fc.assert(
    fc.asyncProperty(attempt, async (one) => {
      const status = await send(one)
      expect(status === 501 || (status >= 200 && status < 500), `${status}`).toBe(true)
    }),
    { numRuns: Number(process.env.LINNET_FUZZ_RUNS ?? 1500) },
  )
  expect(home.log.filter((line) => line.includes(' error '))).toEqual([])
  expect(readdirSync(dirname(home.dir)).toSorted()).toEqual(around)
  expect(readdirSync(home.dir).toSorted()).toEqual(['incoming', 'journal', 'objects', 'resumable'])
  expect(readdirSync(`${home.dir}/incoming`)).toEqual([])
  expect(readdirSync(`${home.dir}/journal`)).toEqual([])
})
