import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createGateway } from '../../../backend/gateway/createGateway.ts'
import type { Gateway, GatewayOptions } from '../../../backend/gateway/createGateway.ts'
import { createLogger } from '../../../backend/logging/logger.ts'
import type { ServiceEnv } from '../../../wire/claims.ts'

const keys = {
  anonKey: `h.${Buffer.from('{"role":"anon"}').toString('base64url')}.s`,
  serviceRoleKey: `h.${Buffer.from('{"role":"service_role"}').toString('base64url')}.s`,
  publishableKey: 'sb_publishable_a',
  secretKey: 'sb_secret_a',
}
const headers = { apikey: keys.publishableKey }

/** Responds with what the gateway passed on. */
function echo(): Hono<ServiceEnv> {
  const app = new Hono<ServiceEnv>()
  app.get('/', (c) => c.json({ root: true }))
  app.get('/slow', async (c) => {
    started()
    await released
    return c.json({ done: true })
  })
  app.get('/broken', () => {
    throw new Error('the secret of the server')
  })
  app.get('/query', (c) => c.json(new URL(c.req.url).search))
  app.all('*', (c) =>
    c.json({
      path: c.req.path,
      role: c.get('apiCaller').role,
      bearer: c.get('bearer'),
      id: c.get('requestId'),
    }),
  )
  return app
}

let started = (): void => {}
let release = (): void => {}
const released = new Promise<void>((resolve) => (release = resolve))

const lines: string[] = []
const upgrades: string[] = []
let appDir: string
let gateway: Gateway
let url: string

const optionsWith = (o: Partial<GatewayOptions>): GatewayOptions => ({
  rest: { app: echo() },
  auth: { app: echo() },
  storage: { app: echo() },
  realtime: {
    app: echo(),
    handleUpgrade: (_incoming, socket, _head, caller) => {
      upgrades.push(caller.role)
      socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    },
  },
  mailbox: new Hono().get('/:token', (c) => c.text('mail')),
  keys,
  appDir,
  appConfig: { key: keys.publishableKey, installation: 'i' },
  publicUrl: null,
  tls: null,
  log: createLogger({ format: 'text', minLevel: 'info', write: (line) => lines.push(line) }),
  ...o,
})

beforeAll(async () => {
  appDir = mkdtempSync(join(tmpdir(), 'linnet-app-'))
  mkdirSync(join(appDir, 'assets'))
  writeFileSync(join(appDir, 'index.html'), '<!doctype html><title>Linnet</title>')
  writeFileSync(join(appDir, 'assets', 'main-abcd1234.js'), 'x'.repeat(5000))
  writeFileSync(join(appDir, 'assets', 'replaced-abcd1234.js'), 'x')
  writeFileSync(join(appDir, 'service-worker.js'), 'self')
  gateway = createGateway(optionsWith({}))
  url = (await gateway.listen('127.0.0.1', 0)).url
})
afterAll(async () => {
  await gateway?.close()
  rmSync(appDir, { recursive: true })
})

describe('keys', () => {
  test('a key is accepted by every service, and the caller is passed on', async () => {
    for (const service of ['rest', 'auth', 'storage', 'realtime']) {
      const response = await fetch(`${url}/${service}/v1/a/b?c=d`, {
        headers: { ...headers, authorization: 'Bearer x.y.z' },
      })
      expect(await response.json()).toEqual({
        path: `/${service}/v1/a/b`,
        role: 'anon',
        bearer: 'x.y.z',
        id: response.headers.get('sb-request-id'),
      })
    }
    expect(await (await fetch(`${url}/auth/v1/`, { headers })).json()).toMatchObject({ root: true })
  })

  test('the OpenAPI description requires a secret key', async () => {
    const requestWithKey = async (key: string, path = '/rest/v1/', method = 'GET') =>
      fetch(url + path, { method, headers: { apikey: key } })
    for (const key of [keys.secretKey, keys.serviceRoleKey]) {
      expect(await (await requestWithKey(key)).json()).toEqual({ root: true })
      expect(await (await requestWithKey(key, '/rest/v1')).json()).toEqual({ root: true })
    }
    for (const key of [keys.publishableKey, keys.anonKey]) {
      for (const path of ['/rest/v1/', '/rest/v1', '/rest/v1//', '/rest/v1/?select=id']) {
        const response = await requestWithKey(key, path)
        expect([path, response.status]).toEqual([path, 401])
        expect(await response.json()).toEqual({
          message: 'Access to schema is forbidden',
          hint: 'Accessing the schema via the Data API is only allowed using a secret API key.',
        })
      }
      expect((await requestWithKey(key, '/rest/v1/', 'HEAD')).status).toBe(401)
      expect((await requestWithKey(key, '/rest/v1/tasks')).status).toBe(200)
    }
  })

  test('without a key only keyless paths are accessible', async () => {
    const response = await fetch(`${url}/rest/v1/a`)
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({
      message: 'No API key found in request',
      hint: 'No `apikey` request header or url param was found.',
    })
    expect((await fetch(`${url}/rest/v1/a?apikey=${keys.anonKey}`)).status).toBe(200)
    const wrong = await fetch(`${url}/rest/v1/a`, { headers: { apikey: 'wrong' } })
    expect(wrong.status).toBe(401)
    expect(await wrong.json()).toMatchObject({ message: 'Invalid API key' })
    for (const path of [
      'auth/v1/verify?token=x',
      'auth/v1/.well-known/jwks.json',
      'storage/v1/object/public/b/x',
    ]) {
      expect(await (await fetch(`${url}/${path}`)).json()).toMatchObject({ role: 'anon', bearer: null })
    }
  })

  test('the key in the query is not passed to a service', async () => {
    for (const [query, rest] of [
      [`apikey=${keys.anonKey}`, ''],
      [`a=b%20c&apikey=${keys.anonKey}&d=%26`, '?a=b%20c&d=%26'],
    ]) {
      expect(await (await fetch(`${url}/rest/v1/query?${query}`)).json()).toBe(rest)
    }
  })

  test('a secret key is accepted from a server, not from a page', async () => {
    const secret = { apikey: keys.secretKey }
    expect(await (await fetch(`${url}/rest/v1/a`, { headers: secret })).json()).toMatchObject({
      role: 'service_role',
    })
    const page = await fetch(`${url}/rest/v1/a`, { headers: { ...secret, 'user-agent': 'Mozilla/5.0' } })
    expect(page.status).toBe(401)
    expect(await page.json()).toMatchObject({ message: 'Forbidden use of secret API key in browser' })
  })

  test('the request ID of the client is replaced', async () => {
    const response = await fetch(`${url}/rest/v1/a`, { headers: { ...headers, 'sb-request-id': 'mine' } })
    expect(response.headers.get('sb-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe('other origins', () => {
  test('may send any headers, and preflight requests need no key', async () => {
    const response = await fetch(`${url}/rest/v1/a`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://a.example',
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'apikey, x-any',
      },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-methods')).toContain('PATCH')
    expect(response.headers.get('access-control-allow-headers')).toBe('apikey, x-any')
  })

  test('may read responses and errors with their headers, but never send cookies', async () => {
    for (const init of [{ headers }, {}]) {
      const response = await fetch(`${url}/rest/v1/a`, init)
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(response.headers.get('access-control-expose-headers')).toContain('Content-Range')
      expect(response.headers.get('access-control-allow-credentials')).toBeNull()
      expect(response.headers.get('cache-control')).toBe('no-store')
    }
    expect((await fetch(`${url}/linnet.json`)).headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('routes', () => {
  test.each(['/graphql/v1', '/rest/v2/x', '/functions/v1/hello', '/nothing'])(
    '%s is nobody',
    async (path) => {
      const response = await fetch(`${url}${path}`, { headers })
      expect(response.status).toBe(404)
      expect(await response.json()).toEqual({ message: 'no Route matched with those values' })
    },
  )

  test('an exception of a service is a 500 without details', async () => {
    const response = await fetch(`${url}/rest/v1/broken`, { headers })
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({ message: 'An unexpected error occurred' })
    expect(lines.join()).toContain('the secret of the server')
  })

  test('responses of services cannot be pages or scripts of the application', async () => {
    const response = await fetch(`${url}/rest/v1/a`, { headers })
    expect(response.headers.get('content-security-policy')).toContain('sandbox')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    const requestWithKey = { ...headers, 'sec-fetch-site': 'same-origin' }
    for (const [destination, status] of [
      ['script', 403],
      ['serviceworker', 403],
      ['image', 200],
      ['empty', 200],
    ] as const) {
      // Not by fetch, which may not say what it is for.
      const reply = await new Promise<IncomingMessage>((resolve, reject) => {
        request(
          `${url}/rest/v1/a`,
          { headers: { ...requestWithKey, 'sec-fetch-dest': destination } },
          resolve,
        )
          .on('error', reject)
          .end()
      })
      reply.resume()
      expect(reply.statusCode).toBe(status)
    }
  })

  test('/health is available at the root', async () => {
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok' })
  })

  test('log lines of requests contain neither query nor secret paths', async () => {
    lines.length = 0
    await fetch(`${url}/auth/v1/verify?token=secret1`)
    await fetch(`${url}/mailbox/secret2`)
    await fetch(`${url}/join/secret3`, { headers: { accept: 'text/html' } })
    await fetch(`${url}/functions/v1/incoming-webhook/secret4`, { method: 'POST' })
    await vi.waitFor(() => expect(lines).toHaveLength(4))
    expect(lines[0]).toMatch(
      /info gateway\.request method=GET path=\/auth\/v1\/verify status=200 ms=[\d.]+ from=127\.0\.0\.1 requestId=/,
    )
    expect(lines.join()).not.toMatch(/secret/)
  })
})

describe('the application', () => {
  const navigate = (path: string, extra: Record<string, string> = {}): Promise<Response> =>
    fetch(`${url}${path}`, { headers: { accept: 'text/html,*/*', ...extra } })

  test('its page is sent for every navigation', async () => {
    for (const path of ['/', '/c/general', '/attached/a/b/file', '/index.html']) {
      const page = await navigate(path)
      expect(await page.text()).toContain('Linnet')
      expect(page.headers.get('cache-control')).toBe('no-cache')
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(page.headers.get('x-content-type-options')).toBe('nosniff')
      expect(page.headers.get('referrer-policy')).toBe('no-referrer')
      expect(page.headers.get('cross-origin-opener-policy')).toBe('same-origin')
    }
    for (const response of [
      await navigate('/assets/gone.js'),
      await fetch(`${url}/picture.png`),
      // Only the service worker has files there.
      await fetch(`${url}/attached/a/b/file`),
      await fetch(`${url}/`, { method: 'POST' }),
    ]) {
      expect(response.status).toBe(404)
    }
  })

  test('content that another application shares is answered with a page if no service worker receives it', async () => {
    const body = new FormData()
    body.set('text', 'Hello')
    body.append('files', new Blob(['x'.repeat(100_000)]), 'a.txt')
    const response = await fetch(`${url}/share`, { method: 'POST', body, redirect: 'manual' })
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe('/share?again')
    const page = await fetch(`${url}/share`, { method: 'POST', body, headers: { accept: 'text/html' } })
    expect(page.url).toBe(`${url}/share?again`)
    expect(await page.text()).toContain('Linnet')
  })

  test('a file that a later build has deleted is still served', async () => {
    rmSync(join(appDir, 'assets', 'replaced-abcd1234.js'))
    expect((await fetch(`${url}/assets/replaced-abcd1234.js`)).status).toBe(200)
  })

  test('its files are compressed, and immutable if their name contains a hash', async () => {
    const path = '/assets/main-abcd1234.js'
    for (const encoding of ['br', 'gzip', 'identity']) {
      const response = await fetch(`${url}${path}`, { headers: { 'accept-encoding': encoding } })
      expect(await response.text()).toBe('x'.repeat(5000))
      expect(response.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding)
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
      const etag = response.headers.get('etag')!
      const again = await fetch(`${url}${path}`, {
        headers: { 'accept-encoding': encoding, 'if-none-match': etag },
      })
      expect(again.status).toBe(304)
    }
    expect((await fetch(`${url}/service-worker.js`)).headers.get('cache-control')).toBe('no-cache')
  })

  test('it gets its key, and a URL only with a public address', async () => {
    const response = await fetch(`${url}/linnet.json`)
    const settings = { key: keys.publishableKey, installation: 'i' }
    expect(await response.json()).toEqual(settings)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const second = createGateway(optionsWith({ publicUrl: 'https://chat.example.org' }))
    const { url: address } = await second.listen('127.0.0.1', 0)
    expect(await (await fetch(`${address}/linnet.json`)).json()).toEqual({
      url: 'https://chat.example.org',
      networkUrl: 'https://chat.example.org',
      ...settings,
    })
    await second.close()
  })

  test.each(['/../package.json', '/assets/..%2f..%2fpackage.json', '/%2e%2e/x', '/assets/%00', '/..\\x'])(
    '%s names nothing outside',
    async (path) => {
      const response = await sendRaw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      expect(response).toMatch(/^HTTP\/1.1 40[04] /)
    },
  )
})

/** Sends bytes as they are and answers with all that comes back. */
function sendRaw(text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text))
    let reply = ''
    socket.on('data', (chunk) => (reply += chunk.toString('latin1')))
    socket.on('close', () => resolve(reply))
    socket.on('error', () => resolve(reply))
  })
}

describe('invalid requests', () => {
  const upgrade = (path: string, extra = ''): Promise<string> =>
    sendRaw(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${extra}\r\n`,
    )

  test('WebSockets open with a key, at one path', async () => {
    const good = `/realtime/v1/websocket?apikey=${keys.publishableKey}&vsn=2.0.0`
    expect(await upgrade(good)).toMatch(/^HTTP\/1.1 101 /)
    expect(upgrades).toEqual(['anon'])
    expect(await upgrade('/realtime/v1/websocket')).toMatch(/^HTTP\/1.1 401 [\s\S]*No API key found/)
    expect(await upgrade('/realtime/v1/websocket?apikey=x')).toMatch(/^HTTP\/1.1 401 [\s\S]*Invalid API key/)
    expect(await upgrade(`/rest/v1/x?apikey=${keys.anonKey}`)).toMatch(/^HTTP\/1.1 404 /)
    expect(upgrades).toEqual(['anon'])
  })

  test.each([
    [
      'two lengths',
      'POST /rest/v1/a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    ],
    [
      'a length and chunks',
      'POST /rest/v1/a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n'.replace('A: b', 'A : b')],
    ['no sense', 'hello\r\n\r\n'],
    ['no host', 'GET /rest/v1/a HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['another address', 'GET http://evil.example/rest/v1/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ])('%s: 400', async (_, text) => {
    expect(await sendRaw(text)).toMatch(/^HTTP\/1.1 400 /)
  })

  test('an invalid Host header is accepted', async () => {
    const reply = await sendRaw(
      `GET /rest/v1/a HTTP/1.1\r\nHost: a b/\r\napikey: ${keys.anonKey}\r\nConnection: close\r\n\r\n`,
    )
    expect(reply).toMatch(/^HTTP\/1.1 400 /)
  })

  test('an endless header: 431', async () => {
    const reply = await sendRaw(`GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(70_000)}\r\n\r\n`)
    expect(reply).toMatch(/^HTTP\/1.1 431 /)
  })
})

/** An address of this machine that other machines reach; undefined where it has none. */
const ownAddress = Object.values(networkInterfaces())
  .flat()
  .find((one) => one !== undefined && !one.internal && one.family === 'IPv4')?.address

describe('start and stop', () => {
  test('a port in use is an error sentence', async () => {
    const second = createGateway(optionsWith({}))
    const port = Number(new URL(url).port)
    await expect(second.listen('127.0.0.1', port)).rejects.toThrow(
      `Port ${port} on 127.0.0.1 is in use by another program. Stop it, or choose another port with --port`,
    )
    await second.close()
  })

  test('a foreign address and an invalid certificate are error sentences', async () => {
    const second = createGateway(optionsWith({}))
    await expect(second.listen('192.0.2.1', 0)).rejects.toThrow('This machine has no address 192.0.2.1.')
    await second.close()
    expect(() => createGateway(optionsWith({ tls: { cert: 'x', key: 'y' } }))).toThrow(
      "The TLS certificate or its key can't be used",
    )
  })

  test.skipIf(ownAddress === undefined)(
    'a server with one address of this machine serves its commands at the loopback address',
    async () => {
      const second = createGateway(optionsWith({}))
      const { url: address, localUrl } = await second.listen(ownAddress!, 0)
      expect([address, localUrl].map((text) => new URL(text).hostname)).toEqual([ownAddress, '127.0.0.1'])
      for (const text of [address, localUrl]) expect((await fetch(`${text}/health`)).status).toBe(200)
      await second.close()
      for (const text of [address, localUrl])
        await expect(fetch(`${text}/health`)).rejects.toThrow('fetch failed')
    },
  )

  test('requests in progress are finished, later ones are refused', async () => {
    const closing = createGateway(optionsWith({ appDir: null }))
    const { url: address } = await closing.listen('127.0.0.1', 0)
    const begun = new Promise<void>((resolve) => (started = resolve))
    const reply = new Promise<IncomingMessage>((resolve, reject) => {
      request(`${address}/rest/v1/slow`, { headers }, resolve).on('error', reject).end()
    })
    await begun
    const closed = closing.close()
    await expect(fetch(`${address}/health`)).rejects.toThrow('fetch failed')
    release()
    const response = await reply
    expect(response.statusCode).toBe(200)
    response.resume()
    await closed
  })

  test('without an application only the services are available', async () => {
    const bare = createGateway(optionsWith({ appDir: null, mailbox: null }))
    const { url: address } = await bare.listen('127.0.0.1', 0)
    for (const path of ['/', '/linnet.json', '/mailbox/x']) {
      expect((await fetch(`${address}${path}`, { headers: { accept: 'text/html' } })).status).toBe(404)
    }
    await bare.close()
  })
})
