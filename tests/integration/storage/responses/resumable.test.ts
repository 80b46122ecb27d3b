import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { request } from 'node:http'
import type { ClientRequest } from 'node:http'
import { join } from 'node:path'
import { DetailedError, Upload } from 'tus-js-client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createRandom, testSeed } from '../../../support/random.ts'
import { declareOwnFolders } from '../support/ownFolders.ts'
import { isOwnService, ownOnly, pathOfUpload, stricter, stricterRows } from '../support/server.ts'
import { people, startStorage } from '../support/startStorage.ts'
import type { StorageServer } from '../support/startStorage.ts'
import { encodeMetadata, startCuttingProxy, uploadWhole } from '../support/tusClient.ts'

type Headers = Record<string, string>

let server: StorageServer
let bea: Headers
let ann: Headers
let service: Headers
/** Milliseconds by which the clock of the service is ahead. */
let ahead = 0

const root = '/storage/v1/upload/resumable'
const mine = (name: string): string => `${people.bea}/${name}`
const metadataOf = (name: string, more: Headers = {}): Headers => ({
  bucketName: 'files',
  objectName: mine(name),
  contentType: 'text/plain',
  ...more,
})
const idOf = (text: string): string => Buffer.from(text).toString('base64url')

/** A request of the protocol; `at` is a path. */
function tus(method: string, at: string, headers: Headers = {}, body?: string | Buffer): Promise<Response> {
  return fetch(server.url + at, {
    method,
    headers: { 'tus-resumable': '1.0.0', ...headers },
    ...(body !== undefined && { body }),
  })
}

/** Creates an upload for Bea and returns its path. */
async function begin(
  name: string,
  length: number,
  headers: Headers = {},
  more: Headers = {},
): Promise<string> {
  const response = await tus('POST', root, {
    ...bea,
    'upload-length': String(length),
    'upload-metadata': encodeMetadata(metadataOf(name, more)),
    ...headers,
  })
  expect(await response.text()).toBe('')
  expect(response.status).toBe(201)
  return pathOfUpload(response.headers.get('location')!)
}

const patch = (
  at: string,
  offset: number,
  body: string | Buffer,
  headers: Headers = bea,
): Promise<Response> =>
  tus(
    'PATCH',
    at,
    { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream', ...headers },
    body,
  )

const offsetOf = async (at: string, headers: Headers = bea): Promise<string | null> =>
  (await tus('HEAD', at, headers)).headers.get('upload-offset')

const stored = async (name: string): Promise<Buffer | null> => {
  const response = await fetch(`${server.url}/storage/v1/object/files/${mine(name)}`, { headers: service })
  return response.ok ? Buffer.from(await response.arrayBuffer()) : null
}

/** Files of unfinished uploads, if the test can read the folder of the service. */
const left = (): string[] => (isOwnService ? readdirSync(join(server.dir, 'resumable')) : [])

/** A PATCH request that has sent `body` and stays open. */
function openPatch(at: string, offset: number, o: { body: Buffer; length: number }): ClientRequest {
  const { hostname, port } = new URL(server.url)
  const sent = request({
    hostname,
    port,
    method: 'PATCH',
    path: at,
    headers: {
      ...bea,
      'tus-resumable': '1.0.0',
      'upload-offset': offset,
      'content-type': 'application/offset+octet-stream',
      'content-length': o.length,
    },
  })
  sent.on('error', () => {})
  sent.write(o.body)
  return sent
}

/** Waits until the file of an upload has that many bytes. */
async function arrived(at: string, bytes: number): Promise<void> {
  const version = Buffer.from(at.split('/').pop()!, 'base64url').toString().split('/').pop()!
  await vi.waitFor(
    () => expect(statSync(join(server.dir, 'resumable', version)).size).toBeGreaterThanOrEqual(bytes),
    { interval: 5 },
  )
}

beforeAll(async () => {
  server = await startStorage({ now: () => Date.now() + ahead })
  await declareOwnFolders(server)
  await server.sql.query(`
    create table public.former (id uuid primary key);
    grant select on public.former to authenticated;
    create policy "former members write nothing" on storage.objects as restrictive for insert to authenticated
      with check (not exists (select from public.former where id = (select auth.uid())));
    insert into storage.buckets (id, name, file_size_limit, allowed_mime_types)
      values ('narrow', 'narrow', 10, '{text/plain}'), ('wide', 'wide', null, null);
    create policy "all write to narrow" on storage.objects for insert to authenticated with check (bucket_id = 'narrow')`)
  bea = { authorization: (await server.headersOf('bea')).authorization! }
  ann = await server.headersOf('ann')
  service = { apikey: server.serviceRoleKey, authorization: `Bearer ${server.serviceRoleKey}` }
})
afterAll(() => server?.stop())

describe('by tus-js-client', () => {
  test('uploads as documented: only a token, several chunks, metadata', async () => {
    const content = randomBytes(300_000)
    const url = await uploadWhole(content, {
      endpoint: server.url + root,
      headers: { ...bea, 'x-upsert': 'true' },
      chunkSize: 100_000,
      uploadDataDuringCreation: true,
      metadata: metadataOf('cat.png', {
        contentType: 'image/png',
        cacheControl: '3600',
        metadata: JSON.stringify({ of: 'a cat' }),
      }),
    })
    expect(url).toMatch(new RegExp(`^${server.url}${root}/[\\w-]+$`))
    const { rows } = await server.sql.query('select * from storage.objects where name = $1', [
      mine('cat.png'),
    ])
    expect(rows[0]).toMatchObject({
      owner_id: people.bea,
      user_metadata: { of: 'a cat' },
      metadata: {
        mimetype: 'image/png',
        cacheControl: 'max-age=3600',
        size: 300_000,
        contentLength: 300_000,
        eTag: `"${createHash('md5').update(content).digest('hex')}"`,
      },
    })
    expect(Buffer.from(url.split('/').pop()!, 'base64url').toString()).toBe(
      `files/${mine('cat.png')}/${rows[0]!.version}`,
    )
    expect(await stored('cat.png')).toEqual(content)
    expect(left()).toEqual([])
  })

  // A Location without an origin keeps the client on the proxy.
  test('six concurrent uploads resume after connections cut at random bytes', ownOnly, async () => {
    const random = createRandom(testSeed)
    let lives = 30
    const proxy = await startCuttingProxy(server.url, () => (lives-- > 0 ? 1 + random.below(400_000) : null))
    try {
      const contents = Array.from({ length: 6 }, () => randomBytes(1 + random.below(1_500_000)))
      await Promise.all(
        contents.map((content, i) =>
          uploadWhole(content, {
            endpoint: proxy.url + root,
            headers: { ...bea, 'x-upsert': 'true' },
            chunkSize: 200_000,
            retryDelays: Array<number>(200).fill(0),
            metadata: metadataOf(`cut-${i}`),
          }).catch((cause: unknown) => {
            throw new Error(`broke off for good, LINNET_SEED=${testSeed}`, { cause })
          }),
        ),
      )
      for (const [i, content] of contents.entries()) {
        expect((await stored(`cut-${i}`))!.equals(content), `LINNET_SEED=${testSeed}`).toBe(true)
      }
      expect(proxy.cuts()).toBeGreaterThan(0)
    } finally {
      proxy.close()
    }
  })

  test('resumes after a restart of the server', ownOnly, async () => {
    const content = randomBytes(500_000)
    let restarted: Promise<void> | null = null
    await new Promise<void>((resolve, reject) => {
      const upload = new Upload(content as never, {
        endpoint: server.url + root,
        headers: bea,
        chunkSize: 100_000,
        retryDelays: Array<number>(100).fill(20),
        metadata: metadataOf('restarted'),
        onError: reject,
        onSuccess: () => resolve(),
        onChunkComplete: (_size, accepted) => {
          if (accepted < 200_000 || restarted) return
          restarted = server.restart()
          restarted.catch(reject)
        },
      })
      upload.start()
    })
    expect(restarted).not.toBeNull()
    await restarted
    expect((await stored('restarted'))!.equals(content)).toBe(true)
    const { rows } = await server.sql.query(
      `select metadata ->> 'eTag' as etag from storage.objects where name = $1`,
      [mine('restarted')],
    )
    expect(rows[0]!.etag).toBe(`"${createHash('md5').update(content).digest('hex')}"`)
  })

  test('abort with termination deletes the upload', ownOnly, async () => {
    const upload = await new Promise<Upload>((resolve, reject) => {
      const made = new Upload(randomBytes(100_000) as never, {
        endpoint: server.url + root,
        headers: bea,
        chunkSize: 10_000,
        metadata: metadataOf('aborted'),
        onError: reject,
        onChunkComplete: () => resolve(made),
      })
      made.start()
    })
    expect(left()).not.toEqual([])
    await upload.abort(true)
    expect(left()).toEqual([])
    expect(await stored('aborted')).toBeNull()
  })

  test('a signed URL authorizes the upload of its object only', async () => {
    const signed = await (await server.as('bea')).storage.from('files').createSignedUploadUrl(mine('signed'))
    const options = (name: string) => ({
      endpoint: `${server.url}${root}/sign`,
      headers: { 'x-signature': signed.data!.token },
      chunkSize: 5,
      metadata: metadataOf(name),
    })
    const url = await uploadWhole(Buffer.from('by signature'), options('signed'))
    expect(url).toContain(`${root}/sign/`)
    const { rows } = await server.sql.query('select owner_id from storage.objects where name = $1', [
      mine('signed'),
    ])
    expect(rows).toEqual([{ owner_id: people.bea }])
    const refusal: unknown = await uploadWhole(Buffer.from('x'), options('other')).catch((e: unknown) => e)
    expect((refusal as DetailedError).originalResponse?.getStatus()).toBe(400)
  })
})

describe('the protocol', () => {
  test('OPTIONS lists the supported extensions', stricter, async () => {
    const response = await fetch(server.url + root, { method: 'OPTIONS' })
    expect(response.status).toBe(204)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'tus-version': '1.0.0',
      'tus-extension': 'creation,creation-with-upload,creation-defer-length,expiration,checksum,termination',
      'tus-max-size': String(50 * 1024 * 1024),
      'tus-checksum-algorithm': 'sha1,sha256,md5',
    })
    expect(response.headers.get('access-control-expose-headers')).toMatch(
      /Location.*Upload-Expires.*Upload-Offset/,
    )
  })

  test('HEAD returns the offset, also after the upload is complete', async () => {
    const at = await begin('headed', 6)
    expect((await patch(at, 0, 'abc')).headers.get('upload-expires')).toMatch(/ GMT$/)
    const half = await tus('HEAD', at, bea)
    expect(half.status).toBe(200)
    expect(Object.fromEntries(half.headers)).toMatchObject({
      'tus-resumable': '1.0.0',
      'cache-control': 'no-store',
      'upload-offset': '3',
      'upload-length': '6',
      'upload-metadata': encodeMetadata(metadataOf('headed')),
    })
    const last = await patch(at, 3, 'def')
    expect(last.status).toBe(204)
    expect(last.headers.get('tus-complete')).toBe('1')
    expect(await offsetOf(at)).toBe('6')
    expect((await tus('DELETE', at, { ...bea, 'x-upsert': 'true' })).status).toBe(400)
    expect((await stored('headed'))!.toString()).toBe('abcdef')
  })

  test('the length can be deferred, and can be zero', async () => {
    const begun = await tus('POST', root, {
      ...bea,
      'upload-defer-length': '1',
      'upload-metadata': encodeMetadata(metadataOf('later')),
    })
    const at = pathOfUpload(begun.headers.get('location')!)
    expect((await patch(at, 0, 'abc')).status).toBe(204)
    expect((await tus('HEAD', at, bea)).headers.get('upload-defer-length')).toBe('1')
    expect((await patch(at, 3, 'd', { ...bea, 'upload-length': '2' })).status).toBe(400)
    expect((await patch(at, 3, '', { ...bea, 'upload-length': '3' })).headers.get('tus-complete')).toBe('1')
    expect((await stored('later'))!.toString()).toBe('abc')
    await begin('nothing', 0)
    expect((await stored('nothing'))!.length).toBe(0)
  })

  test('a chunk with a wrong checksum, or cut off before it, is not stored', stricter, async () => {
    const at = await begin('summed', 6)
    const sum = (text: string): Headers => ({
      ...bea,
      'upload-checksum': `sha1 ${createHash('sha1').update(text).digest('base64')}`,
    })
    expect((await patch(at, 0, 'abX', sum('abc'))).status).toBe(460)
    expect(await offsetOf(at)).toBe('0')
    expect((await patch(at, 0, 'abc', sum('abc'))).status).toBe(204)
    expect((await patch(at, 3, 'def', { ...bea, 'upload-checksum': 'crc32 AAAA' })).status).toBe(400)
    expect((await patch(at, 3, 'def', sum('def'))).headers.get('tus-complete')).toBe('1')
    expect((await stored('summed'))!.toString()).toBe('abcdef')
  })

  test('a later request takes the upload over, and chunks do not interleave', ownOnly, async () => {
    const at = await begin('taken', 400_000)
    const first = openPatch(at, 0, { body: Buffer.alloc(100_000, 'a'), length: 400_000 })
    await arrived(at, 1)
    const offset = Number(await offsetOf(at))
    expect(offset).toBeGreaterThan(0)
    first.destroy()
    const pieces = await Promise.all(
      ['b', 'c'].map((letter) => patch(at, offset, Buffer.alloc(400_000 - offset, letter))),
    )
    const statuses = pieces.map((response) => response.status)
    expect(statuses.some((status) => status === 204)).toBe(true)
    for (let now = await offsetOf(at); now !== '400000'; now = await offsetOf(at)) {
      await patch(at, Number(now), Buffer.alloc(400_000 - Number(now), 'd'))
    }
    const text = (await stored('taken'))!.toString()
    expect(text).toMatch(/^a+b*c*b*d*$/)
    expect(text.length).toBe(400_000)
  })

  test('an expired upload is deleted at the next start', ownOnly, async () => {
    const at = await begin('expired', 6)
    try {
      ahead = 24 * 60 * 60 * 1000 + 1000
      expect((await tus('HEAD', at, bea)).status).toBe(410)
      expect((await patch(at, 0, 'abc')).status).toBe(410)
      await server.restart()
    } finally {
      ahead = 0
    }
    expect((await tus('HEAD', at, bea)).status).toBe(404)
    expect(left()).toEqual([])
  })
})

describe('refusals', () => {
  const good = (): Headers => ({
    ...bea,
    'upload-length': '6',
    'upload-metadata': encodeMetadata(metadataOf('new')),
  })
  const naming = (pairs: Headers): Headers => ({ ...good(), 'upload-metadata': encodeMetadata(pairs) })

  test.each<[string, () => Headers, number, RegExp]>([
    ['another version', () => ({ ...good(), 'tus-resumable': '0.2.2' }), 412, /Tus-Resumable/],
    ['no length', () => ({ ...bea, 'upload-metadata': 'a' }), 400, /^Upload-Length or Upload-Defer-Length/],
    ['both lengths', () => ({ ...good(), 'upload-defer-length': '1' }), 400, /^Upload-Length or/],
    ['a length below nothing', () => ({ ...good(), 'upload-length': '-1' }), 400, /^Invalid upload-length/],
    [
      'a length beyond numbers',
      () => ({ ...good(), 'upload-length': '9'.repeat(30) }),
      400,
      /^Invalid upload-length/,
    ],
    ['a length in words', () => ({ ...good(), 'upload-length': '1e3' }), 400, /^Invalid upload-length/],
    [
      'bad base64',
      () => ({ ...good(), 'upload-metadata': 'bucketName !!!' }),
      400,
      /^Invalid upload-metadata/,
    ],
    ['a key twice', () => ({ ...good(), 'upload-metadata': 'a,a' }), 400, /^Invalid upload-metadata/],
    ['no metadata', () => ({ ...bea, 'upload-length': '6' }), 400, /^Metadata header is required/],
    ['no bucket', () => naming({ objectName: 'x' }), 400, /^Bucket name invalid/],
    ['no name', () => naming({ bucketName: 'files' }), 400, /^Invalid key/],
    ['a name of NUL', () => naming({ bucketName: 'files', objectName: 'a\0b' }), 400, /^Invalid key/],
    ['a bucket of dots', () => naming({ bucketName: '../..', objectName: 'x' }), 400, /^Bucket name invalid/],
    ['an unknown bucket', () => naming({ bucketName: 'none', objectName: 'x' }), 404, /^Bucket not found/],
    ['a wall', () => naming({ bucketName: 'files', objectName: 'x' }), 403, /row-level security/],
    ...stricterRows<[string, () => Headers, number, RegExp]>([
      'dots to another',
      () => naming({ bucketName: 'files', objectName: `../${mine('x')}` }),
      403,
      /row-level/,
    ]),
    [
      'too long for the bucket',
      () => ({ ...naming({ bucketName: 'narrow', objectName: 'x' }), 'upload-length': '11' }),
      413,
      /^Maximum size/,
    ],
    ['too long for all', () => ({ ...good(), 'upload-length': String(2 ** 40) }), 413, /^Maximum size/],
    [
      'a type',
      () => naming({ bucketName: 'narrow', objectName: 'x', contentType: 'text/html' }),
      415,
      /^mime type/,
    ],
    ['no type', () => naming({ bucketName: 'narrow', objectName: 'x' }), 415, /^mime type/],
    ['parts to be joined', () => ({ ...good(), 'upload-concat': 'partial' }), 501, /^Concatenation/],
    ['nobody', () => ({ ...good(), authorization: '' }), 403, /row-level security/],
  ])('beginning with %s', async (_name, headers, status, words) => {
    const response = await tus('POST', root, headers())
    expect([response.status, await response.text()]).toEqual([status, expect.stringMatching(words)])
    expect(response.headers.get('location')).toBeNull()
    expect(response.headers.get('tus-resumable')).toBe('1.0.0')
    expect(left()).toEqual([])
  })

  test('an invalid token gets the same error as on other routes', async () => {
    const response = await tus('POST', root, { ...good(), authorization: 'Bearer x.y.z' })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ statusCode: '403', error: 'Unauthorized' })
  })

  test.each<[string, Headers | (() => Headers), number]>([
    ['no version', { 'tus-resumable': '' }, 412],
    ['no offset', { 'upload-offset': '' }, 400],
    ['a wrong offset', { 'upload-offset': '1' }, 409],
    ['an offset beyond', { 'upload-offset': '7' }, 409],
    ['another type', { 'content-type': 'text/plain' }, 415],
    ['a length once more', { 'upload-length': '6' }, 400],
    ['more than its length', { 'upload-offset': '0', long: 'yes' }, 413],
    ["another's token", () => ann, 404],
  ])('going on with %s', async (_name, headers, status) => {
    const at = await begin('kept', 6)
    const more = typeof headers === 'function' ? headers() : headers
    expect((await patch(at, 0, more['long'] ? 'abcdefg' : 'abc', { ...bea, ...more })).status).toBe(status)
    expect(await offsetOf(at)).toBe('0')
    expect((await tus('DELETE', at, bea)).status).toBe(204)
    expect((await tus('HEAD', at, bea)).status).toBe(404)
  })

  test.each([
    ['nothing', '', 404],
    ['no id', 'x', 400],
    ['two parts', idOf('files/x'), 400],
    ['a made-up version', idOf(`files/${'x'}/00000000-0000-4000-8000-000000000000`), 404],
    ['a version of dots', idOf('files/x/..'), 404],
    ['a name out of ASCII', idOf('files/é/1'), 400],
    ['a long one', 'A'.repeat(8_000), 400],
  ])('the address of %s', async (_name, id, status) => {
    for (const method of ['HEAD', 'DELETE'])
      expect((await tus(method, `${root}/${id}`, bea)).status).toBe(status)
    expect((await patch(`${root}/${id}`, 0, 'x')).status).toBe(status)
  })

  test("another user's upload cannot be read, terminated or finished under another name", async () => {
    const at = await begin('private', 6)
    expect((await tus('HEAD', at, ann)).status).toBe(404)
    expect((await tus('DELETE', at, ann)).status).toBe(404)
    const [, , version] = Buffer.from(at.split('/').pop()!, 'base64url')
      .toString()
      .split(/\/(?=[^/]*$)|(?<=^files)\//)
    expect(version).toMatch(/-/)
    expect((await patch(`${root}/${idOf(`files/${mine('elsewhere')}/${version}`)}`, 0, 'abc')).status).toBe(
      404,
    )
    expect(await offsetOf(at, service)).toBe('0')
    await tus('DELETE', at, bea)
  })

  test('an upload does not replace an object that was created meanwhile', ownOnly, async () => {
    const at = await begin('raced', 6)
    const first = openPatch(at, 0, { body: Buffer.from('abc'), length: 6 })
    const status = new Promise((resolve) => first.on('response', (response) => resolve(response.statusCode)))
    await arrived(at, 3)
    await fetch(`${server.url}/storage/v1/object/files/${mine('raced')}`, {
      method: 'POST',
      body: 'theirs',
      headers: { ...service, 'content-type': 'text/plain' },
    })
    first.end('def')
    expect(await status).toBe(409)
    expect((await stored('raced'))!.toString()).toBe('theirs')
    expect((await patch(at, 0, 'abcdef', { ...bea, 'x-upsert': 'true' })).status).toBe(204)
    expect((await stored('raced'))!.toString()).toBe('abcdef')
  })

  test('a removed user cannot continue an upload, nor finish the current request', ownOnly, async () => {
    const at = await begin('left', 6)
    const open = openPatch(at, 0, { body: Buffer.from('abc'), length: 6 })
    const status = new Promise((resolve) => open.on('response', (response) => resolve(response.statusCode)))
    await arrived(at, 3)
    await server.sql.query('insert into public.former values ($1)', [people.bea])
    try {
      open.end('def')
      expect(await status).toBe(403)
      expect((await patch(at, 0, 'abcdef')).status).toBe(403)
      expect(await stored('left')).toBeNull()
    } finally {
      await server.sql.query('delete from public.former')
    }
    await tus('DELETE', at, bea)
  })

  test('unfinished uploads of a user are limited to twenty times the largest file', async () => {
    const open: string[] = []
    for (let i = 0; i < 20; i++) open.push(await begin(`large-${i}`, 50 * 1024 * 1024))
    const statusOf = async (length: string): Promise<number> =>
      (await tus('POST', root, { ...good(), 'upload-length': length })).status
    expect(await statusOf('1')).toBe(429)
    for (const at of open) expect((await tus('DELETE', at, bea)).status).toBe(204)
    expect(await statusOf('1')).toBe(201)
  })
})
