import { createHash, randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stricter } from '../support/server.ts'
import { startStorage } from '../support/startStorage.ts'
import type { StorageServer } from '../support/startStorage.ts'

let server: StorageServer
let service: Record<string, string>
/** Larger than a response that is sent in one chunk. */
const film = randomBytes(3 * 1024 * 1024)

const at = (path: string): string => `${server.url}/storage/v1/object/${path}`

const put = (name: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(at(`b/${name}`), {
    method: 'POST',
    body,
    headers: { ...service, 'content-type': 'text/plain', 'x-upsert': 'true', ...headers },
  })

const get = (name: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(at(`b/${name}`), { headers: { ...service, ...headers } })

const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer())

beforeAll(async () => {
  server = await startStorage()
  service = { apikey: server.serviceRoleKey, authorization: `Bearer ${server.serviceRoleKey}` }
  await server.sql.query(`insert into storage.buckets (id, name) values ('b', 'b')`)
  await put('ten', '0123456789', { 'cache-control': 'max-age=60' })
  await put('film', film, { 'content-type': 'video/mp4' })
  await put('empty', '')
})
afterAll(() => server?.stop())

describe('reading', () => {
  test('returns the whole object with the headers for caching', async () => {
    const whole = await get('film')
    expect(whole.status).toBe(200)
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'content-length': String(film.length),
      'content-type': 'video/mp4',
      etag: `"${createHash('md5').update(film).digest('hex')}"`,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    })
    expect((await bytesOf(whole)).equals(film)).toBe(true)
    expect((await get('ten')).headers.get('cache-control')).toBe('max-age=60')
    expect(await (await get('empty')).text()).toBe('')
  })

  test.each([
    ['bytes=0-3', '0123', '0-3'],
    ['bytes=7-', '789', '7-9'],
    ['bytes=-2', '89', '8-9'],
    ['bytes=5-500', '56789', '5-9'],
  ])('the range %s', async (range, text, part) => {
    const response = await get('ten', { range })
    expect(response.status).toBe(206)
    expect(response.headers.get('content-range')).toBe(`bytes ${part}/10`)
    expect(response.headers.get('content-length')).toBe(String(text.length))
    expect(await response.text()).toBe(text)
  })

  test('a large range is streamed', async () => {
    const response = await get('film', { range: 'bytes=1000-2000999' })
    expect(response.status).toBe(206)
    expect((await bytesOf(response)).equals(film.subarray(1000, 2_001_000))).toBe(true)
  })

  test('a range beyond the end, and of an empty object', async () => {
    for (const [name, size] of [
      ['ten', 10],
      ['empty', 0],
    ]) {
      const response = await get(String(name), { range: 'bytes=10-' })
      expect(response.status).toBe(416)
      expect(response.headers.get('content-range')).toBe(`bytes */${size}`)
      expect(await response.json()).toEqual({
        statusCode: '416',
        error: 'invalid_range',
        code: 'InvalidRange',
        message: 'invalid range provided',
      })
    }
  })

  test('conditional requests get 304 for an unchanged object', async () => {
    const first = await get('ten')
    const etag = first.headers.get('etag')!
    const fresh = await get('ten', { 'if-none-match': etag })
    expect(fresh.status).toBe(304)
    expect(await fresh.text()).toBe('')
    expect(fresh.headers.get('etag')).toBe(etag)
    const since = first.headers.get('last-modified')!
    expect((await get('ten', { 'if-modified-since': since })).status).toBe(304)
    expect((await get('ten', { 'if-none-match': '"other"' })).status).toBe(200)
    expect((await get('ten', { range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200)
    expect((await get('ten', { range: 'bytes=0-1', 'if-range': etag })).status).toBe(206)
  })

  test.each<[string, Record<string, string>, number]>([
    ['one of several tags', { 'if-none-match': '"other", W/{etag} , "more"' }, 304],
    ['the tag, weakly', { 'if-none-match': 'W/{etag}' }, 304],
    ['any tag', { 'if-none-match': '*' }, 304],
    ['a tag without quotes', { 'if-none-match': 'x' }, 200],
    ['a tag counts, not the date', { 'if-none-match': '"other"', 'if-modified-since': '{date}' }, 200],
    ['a later date', { 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' }, 304],
    ['an earlier date', { 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 200],
    ['no date', { 'if-modified-since': 'yesterday' }, 200],
    ['304 before a part', { 'if-none-match': '{etag}', range: 'bytes=0-1' }, 304],
    ['a part of that date', { range: 'bytes=0-1', 'if-range': '{date}' }, 206],
    ['no part of a weak tag', { range: 'bytes=0-1', 'if-range': 'W/{etag}' }, 200],
    ['no part of an older file', { range: 'bytes=0-1', 'if-range': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 200],
    ['no part beyond the end of another', { range: 'bytes=99-', 'if-range': '"other"' }, 200],
    ['the whole for several parts', { range: 'bytes=0-1,3-4' }, 200],
    ['the whole for lines', { range: 'lines=0-1' }, 200],
    ['the whole for a part the wrong way round', { range: 'bytes=3-1' }, 200],
  ])('conditions: %s', async (_, headers, status) => {
    const { headers: about } = await get('ten')
    const filled = Object.entries(headers).map(([name, text]) => [
      name,
      text.replace('{etag}', about.get('etag')!).replace('{date}', about.get('last-modified')!),
    ])
    const reply = await get('ten', Object.fromEntries(filled) as Record<string, string>)
    expect(reply.status).toBe(status)
    expect(await reply.text()).toBe({ 200: '0123456789', 206: '01', 304: '' }[status])
  })

  test('If-Range returns the whole new object after a replacement', async () => {
    await put('parts', 'old old old')
    const first = await get('parts', { range: 'bytes=0-3' })
    const condition = first.headers.get('etag')!
    await put('parts', 'new new new')
    const next = await get('parts', { range: 'bytes=4-', 'if-range': condition })
    expect([next.status, await next.text()]).toEqual([200, 'new new new'])
    const reader = (await get('film')).body!.getReader()
    const begun = await reader.read()
    await put('film', Buffer.alloc(film.length), { 'content-type': 'video/mp4' })
    const pieces = [begun.value!]
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) pieces.push(piece.value)
    expect(Buffer.concat(pieces).equals(film)).toBe(true)
    expect((await bytesOf(await get('film'))).equals(Buffer.alloc(film.length))).toBe(true)
    await put('film', film, { 'content-type': 'video/mp4' })
  })

  test('the ETag stays with the bytes after a copy or a move, also onto the same name', async () => {
    await put('tagged', 'x')
    const { headers } = await get('tagged')
    expect(headers.get('last-modified')).toMatch(/^\w{3}, \d\d \w{3} 20\d\d \d\d:\d\d:\d\d GMT$/)
    const sendRequest = async (verb: string, body: object, extra = {}): Promise<unknown> => {
      const requestHeaders = { ...service, 'content-type': 'application/json', ...extra }
      const text = JSON.stringify({ bucketId: 'b', sourceKey: 'tagged', ...body })
      return (await fetch(at(verb), { method: 'POST', headers: requestHeaders, body: text })).json()
    }
    const own = { destinationKey: 'tagged' }
    expect(await sendRequest('move', own)).toMatchObject({ message: 'Successfully moved', Key: 'tagged' })
    expect(await sendRequest('copy', own)).toMatchObject({ code: 'KeyAlreadyExists' })
    expect(await sendRequest('copy', own, { 'x-upsert': 'true' })).toMatchObject({ Key: 'b/tagged' })
    await sendRequest('copy', { destinationKey: 'tagged too' })
    await sendRequest('move', { destinationKey: 'tagged then' })
    for (const name of ['tagged too', 'tagged then']) {
      const reply = await get(name)
      expect([reply.headers.get('etag'), await reply.text()]).toEqual([headers.get('etag'), 'x'])
    }
    expect((await get('tagged')).status).toBe(400)
  })

  test('defaults of upload headers, and the values of x-upsert that count as true', async () => {
    const send = async (name: string, extra: Record<string, string>, body = ''): Promise<number> => {
      const { status } = await fetch(at(`b/${name}`), {
        method: 'POST',
        headers: { ...service, ...extra },
        body,
      })
      return status
    }
    expect(await send('bare', { 'content-type': '' })).toBe(200)
    expect((await get('bare')).headers.get('content-type')).toBe('application/octet-stream')
    for (const [yes, status] of [
      ['TRUE', 400],
      ['1', 400],
      ['true', 200],
    ] as const) {
      expect([yes, await send('bare', { 'x-upsert': yes })]).toEqual([yes, status])
    }
    for (const metadata of ['!', 'eA==', 'WzFd', 'bnVsbA==']) {
      expect(await send('bare', { 'x-upsert': 'true', 'x-metadata': metadata })).toBe(200)
      const info = (await (await fetch(at('info/b/bare'), { headers: service })).json()) as {
        metadata: unknown
      }
      expect(info.metadata).toEqual({})
    }
    const name = 'n'.repeat(1024)
    expect([await send(name, {}), await send(`${name}n`, {})]).toEqual([200, 400])
  })

  test('HEAD returns the headers of GET', async () => {
    const { data } = await server
      .asService()
      .storage.from('b')
      .createSignedUrl('film', 60, { download: 'x y' })
    const link = data!.signedUrl.slice(data!.signedUrl.indexOf('sign/'))
    for (const path of [link, 'b/ten', 'b/ten?download=Ä.txt', 'authenticated/b/film', 'b/empty', 'b/bare']) {
      const [got, head] = await Promise.all(
        ['GET', 'HEAD'].map((method) => fetch(at(path), { method, headers: service })),
      )
      await got!.arrayBuffer()
      const known = ({ headers }: Response): object => ({
        ...Object.fromEntries(headers),
        date: '',
        // The seconds until a signed address expires.
        'cache-control': headers.get('cache-control')?.replace(/^private, max-age=\d+$/, 'private'),
        'sb-request-id': '',
        connection: '',
        'keep-alive': '',
      })
      expect(known(head!)).toEqual(known(got!))
      expect(got!.headers.get('access-control-expose-headers')).toMatch(
        /Content-Disposition.*Content-Range.*ETag/,
      )
    }
    expect(
      (await fetch(at('b/ten'), { method: 'HEAD', headers: { ...service, range: 'bytes=0-1' } })).status,
    ).toBe(200)

    const head = await fetch(at('b/film'), { method: 'HEAD', headers: service })
    expect(head.status).toBe(200)
    expect(head.headers.get('content-length')).toBe(String(film.length))
    expect(head.headers.get('content-type')).toBe('video/mp4')
    expect((await fetch(at('b/none'), { method: 'HEAD', headers: service })).status).toBe(400)
  })

  test('X-Robots-Tag is the one of the upload, else none', async () => {
    expect((await get('ten')).headers.get('x-robots-tag')).toBe('none')
    const tag = 'noindex, unavailable_after: Fri, 25 Jun 2027 15:00:00 GMT, otherbot: max-snippet: -1'
    await put('indexed', 'x', { 'x-robots-tag': tag })
    for (const method of ['GET', 'HEAD']) {
      const response = await fetch(at('b/indexed'), { method, headers: service })
      expect(response.headers.get('x-robots-tag')).toBe(tag)
    }
    await server.sql.query(
      `update storage.objects set metadata = metadata || '{"xRobotsTag": "all\\r\\nset-cookie: a=b"}' where name = 'indexed'`,
    )
    expect((await get('indexed')).headers.get('x-robots-tag')).toBe('none')
  })

  test.each([
    ['noindex,,none', 'header contains empty rule'],
    ['max-snippet:', 'rule "max-snippet" requires a value'],
    ['max-snippet: 1.5', '"max-snippet" value must be an integer >= -1, got: "1.5"'],
    [
      'max-image-preview: vast',
      '"max-image-preview" value must be one of: none, standard, large, got: "vast"',
    ],
    ['unavailable_after: never', '"unavailable_after" value must be a valid date, got: "never"'],
    ['bot:', 'user agent "bot" has no rules specified'],
    ['a:'.repeat(400), 'user agent "a" has no rules specified'],
  ])('%j is no word to such readers', async (tag, fault) => {
    const reply = await put('robots', 'x', { 'x-robots-tag': tag })
    expect([reply.status, await reply.json()]).toMatchObject([
      400,
      { error: 'invalid_x_robots_tag', message: expect.stringContaining(fault) },
    ])
  })

  test('a signed URL can be cached until it expires, whatever the cache control of the object', async () => {
    const { data } = await server.asService().storage.from('b').createSignedUrl('ten', 60)
    const claims = new URL(data!.signedUrl).searchParams.get('token')!.split('.')[1]!
    const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp: number }
    for (const [headers, status] of [
      [{}, 200],
      [{ range: 'bytes=0-1' }, 206],
      [{ 'if-none-match': '*' }, 304],
    ] as const) {
      for (const method of ['GET', 'HEAD']) {
        const reply = await fetch(data!.signedUrl, { method, headers })
        expect(reply.status).toBe(method === 'HEAD' && status === 206 ? 200 : status)
        expect(reply.headers.get('expires')).toBe(new Date(exp * 1000).toUTCString())
        const [, left] = /^private, max-age=(\d+)$/.exec(reply.headers.get('cache-control')!)!
        expect(Number(left)).toBeLessThanOrEqual(60)
      }
    }
  })

  test('a cancelled download does not affect the next one', async () => {
    const response = await get('film')
    const reader = response.body!.getReader()
    await reader.read()
    await reader.cancel()
    expect((await get('ten')).status).toBe(200)
  })
})

describe('content that is dangerous for a browser', () => {
  test.each([
    ['page.html', 'text/html', 'text/plain; charset=utf-8'],
    ['drawing.svg', 'image/svg+xml', 'image/svg+xml'],
    ['feed.xml', 'text/xml', 'text/xml'],
    ['page.xhtml', 'application/xhtml+xml', 'application/xhtml+xml'],
    ['other.xml', 'image/x-drawing+xml', 'image/x-drawing+xml'],
    ['picture.png', 'image/png', 'text/plain; charset=utf-8'],
    ['film.mp4', 'video/mp4', 'text/plain; charset=utf-8'],
    ['paper.pdf', 'application/pdf', 'text/plain; charset=utf-8'],
    ['words.txt', 'text/plain', 'text/plain; charset=utf-8'],
  ])('%s only ever downloads', async (name, type, sent) => {
    await put(name, '<script>alert(1)</script>', { 'content-type': type })
    const { headers } = await get(name)
    expect(headers.get('content-type')).toBe(sent)
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="${name}"; filename*=UTF-8''${name}`,
    )
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  test.each([
    ['image/jpeg', 'image/png', null],
    ['text/plain', 'image/png', null],
    ['image/x-icon', 'image/png', null],
    ['text/html', 'text/plain; charset=utf-8', /^attachment/],
    ['application/zip', 'application/zip', /^attachment/],
  ])(
    'a picture that is labelled %s is sent as %s, in whole, in part and to HEAD',
    async (label, sent, place) => {
      const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(200_000)])
      await put('labelled', png, { 'content-type': label })
      for (const reply of [
        await get('labelled'),
        await get('labelled', { range: 'bytes=0-2' }),
        await get('labelled', { range: 'bytes=100-' }),
        await fetch(at('b/labelled'), { method: 'HEAD', headers: service }),
      ]) {
        await reply.arrayBuffer()
        expect(reply.ok).toBe(true)
        expect(reply.headers.get('content-type')).toBe(sent)
        expect(reply.headers.get('content-disposition') ?? '').toMatch(place ?? /^$/)
      }
    },
  )

  test('a content type in a form cannot inject headers', async () => {
    const form = [
      '--x',
      'Content-Disposition: form-data; name="cacheControl"',
      '',
      '60\nset-cookie: a=b',
      '--x',
      'Content-Disposition: form-data; name=""; filename="a.txt"',
      'Content-Type: text/plain;a="\u0001"',
      '',
      'x',
      '--x--',
      '',
    ].join('\r\n')
    expect((await put('form', form, { 'content-type': 'multipart/form-data; boundary=x' })).status).toBe(200)
    const { headers } = await get('form')
    expect(headers.get('cache-control')).toBe('no-cache')
    expect(headers.get('set-cookie')).toBeNull()
  })

  test('a download quotes any file name', async () => {
    const response = await get(`ten?download=${encodeURIComponent('a"; x="\r\nSet-Cookie: a=b')}`)
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="a_; x=___Set-Cookie: a=b"/,
    )
  })
})

/** Sends raw bytes, which no client library does, and returns the response. */
function sendRaw(text: string): Promise<string> {
  const { port } = new URL(server.url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(text))
    let reply = ''
    socket.on('data', (chunk) => (reply += chunk.toString('latin1')))
    socket.on('close', () => resolve(reply))
    socket.on('error', () => resolve(reply))
  })
}

describe('bad requests', () => {
  const auth = (): string =>
    `Host: x\r\napikey: ${server.serviceRoleKey}\r\nAuthorization: Bearer ${server.serviceRoleKey}\r\nConnection: close\r\n`

  test.each([
    'b/Gr%C3%BC%C3%9Fe.txt',
    'b/Gru%CC%88sse.txt',
    'b/a%00b',
    'b/a%0Ab',
    'b/a%5Cb',
    'b/%E2%80%AEgpj.exe',
    'b/a%22b',
    'b/%FF',
    'b/a%2',
  ])('the name %s is refused', async (name) => {
    const response = await fetch(at(name), { method: 'POST', body: 'x', headers: service })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ statusCode: '400', code: 'InvalidKey' })
  })

  test('a name with .. is stored like any other name, inside the folder of the bytes', stricter, async () => {
    const climbing = 'b/..%2F..%2F..%2Fetc%2Fpasswd'
    const uploaded = await fetch(at(climbing), { method: 'POST', body: 'mine', headers: service })
    expect(await uploaded.json()).toMatchObject({ Key: 'b/../../../etc/passwd' })
    expect(await (await fetch(at(climbing), { headers: service })).text()).toBe('mine')
  })

  test('dot segments in a URL are refused before routing', stricter, async () => {
    for (const path of [
      'object/public/../../bucket',
      'object/public/%2e%2E/x',
      'object\\b\\ten',
      './bucket',
    ]) {
      const reply = await sendRaw(`GET /storage/v1/${path} HTTP/1.1\r\n${auth()}\r\n`)
      expect(reply).toMatch(/^HTTP\/1.1 400 /)
    }
  })

  test.each([
    ['object/list/b', 'POST', '{', "Body is not valid JSON but content-type is set to 'application/json'"],
    ['object/list/b', 'POST', '[]', 'body must be object'],
    ['object/list/b', 'POST', '{}', "body must have required property 'prefix'"],
    ['object/list/b', 'POST', '{"prefix":{}}', 'body/prefix must be string'],
    ['object/list/b', 'POST', '{"prefix":"","limit":0}', 'body/limit must be >= 1'],
    ['object/list/b', 'POST', '{"prefix":"","limit":"x"}', 'body/limit must be integer'],
    [
      'object/list/b',
      'POST',
      '{"prefix":"","sortBy":{"column":"id; drop table x"}}',
      'body/sortBy/column must be equal to one of the allowed values',
    ],
    ['object/b', 'DELETE', '{"prefixes":[]}', 'body/prefixes must NOT have fewer than 1 items'],
    ['object/b', 'DELETE', '{"prefixes":["a",{}]}', 'body/prefixes/1 must be string'],
    ['object/sign/b/ten', 'POST', '{}', "body must have required property 'expiresIn'"],
    ['object/sign/b/ten', 'POST', '{"expiresIn":-1}', 'body/expiresIn must be >= 1'],
    ['bucket', 'POST', '{"name":{}}', 'body/name must be string'],
    [
      'bucket',
      'POST',
      '{"name":"x","file_size_limit":"lots"}',
      'Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B',
    ],
    [
      'bucket',
      'POST',
      '{"name":"x","file_size_limit":"9GB"}',
      'The object exceeded the maximum allowed size',
    ],
    ['bucket', 'POST', '{"name":"x","allowed_mime_types":["no"]}', 'mime type no is not supported'],
    ['bucket/b', 'PUT', '{}', 'No content provided'],
    [
      'object/list/b',
      'POST',
      '{"prefix":"","sortBy":{"order":"desc"}}',
      "body/sortBy must have required property 'column'",
    ],
  ])('%s %s %s', async (path, method, body, message) => {
    const init: RequestInit = { method, headers: { ...service, 'content-type': 'application/json' } }
    init.body = body
    const response = await fetch(`${server.url}/storage/v1/${path}`, init)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ message })
  })

  test.each<[path: string, method: string, body: object, answer: unknown]>([
    ['object/list/b', 'POST', { prefix: 7, limit: '10', offset: '0', search: null, sortBy: null }, []],
    ['object/list-v2/b', 'POST', { prefix: '7', cursor: null, with_delimiter: 'true' }, { hasNext: false }],
    ['object/b', 'DELETE', { prefixes: 'none' }, []],
    ['bucket/b', 'PUT', { public: 'false', file_size_limit: null }, { message: 'Successfully updated' }],
  ])('%s %s takes %j, as upstream does of clients in other languages', async (path, method, body, reply) => {
    const init: RequestInit = { method, headers: { ...service, 'content-type': 'application/json' } }
    init.body = JSON.stringify(body)
    const response = await fetch(`${server.url}/storage/v1/${path}`, init)
    expect(await response.json()).toMatchObject(reply as object)
  })

  test('a NUL in the name of a lookup', async () => {
    const response = await fetch(at('list/b'), {
      method: 'POST',
      body: JSON.stringify({ prefix: 'a\0b' }),
      headers: service,
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'InvalidParameter' })
  })

  test('1001 names, and an endless body', async () => {
    const prefixes = Array.from({ length: 1001 }, (_, i) => String(i))
    const many = await fetch(at('b'), {
      method: 'DELETE',
      body: JSON.stringify({ prefixes }),
      headers: service,
    })
    expect(await many.json()).toMatchObject({
      message: 'Bulk object requests are limited to 1000 objects per request.',
    })
    const long = await fetch(at('list/b'), {
      method: 'POST',
      body: JSON.stringify({ prefix: 'x'.repeat(2 * 1024 * 1024) }),
      headers: service,
    })
    expect(long.status).toBe(413)
    expect(await long.json()).toMatchObject({ code: 'EntityTooLarge' })
  })

  test.each([
    ['no file in the form', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n'],
    [
      'a form that ends in its file',
      '--x\r\nContent-Disposition: form-data; name=""; filename="a"\r\n\r\nhalf',
    ],
    ['a form that never begins', 'hello'],
    ['nothing', ''],
  ])('%s', async (_, form) => {
    const response = await put('broken', form, { 'content-type': 'multipart/form-data; boundary=x' })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ message: 'No content provided' })
    expect((await get('broken')).status).toBe(400)
  })

  test('a form without a boundary', async () => {
    const response = await put('broken', 'x', { 'content-type': 'multipart/form-data' })
    expect(await response.json()).toMatchObject({ message: 'No content provided' })
  })

  test('unknown routes and malformed tokens', async () => {
    for (const path of ['bucket', 'bucket/']) {
      const buckets = await fetch(`${server.url}/storage/v1/${path}`, { headers: service })
      expect(await buckets.json()).toMatchObject([{ id: 'b' }])
    }
    const response = await fetch(`${server.url}/storage/v1/nothing`, { headers: service })
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({
      statusCode: '404',
      error: 'Not Found',
      code: 'InvalidRequest',
      message: 'Route GET:/storage/v1/nothing not found',
    })
    const forged = await fetch(at('list/b'), {
      method: 'POST',
      body: '{"prefix":""}',
      headers: { apikey: server.anonKey, authorization: 'Bearer x.y.z' },
    })
    expect(forged.status).toBe(400)
    expect(await forged.json()).toMatchObject({ statusCode: '403', error: 'Unauthorized' })
  })
})
