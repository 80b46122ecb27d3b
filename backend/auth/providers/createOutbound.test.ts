import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ProviderRequest, createOutbound } from './createOutbound.ts'

/** Host names and their addresses. */
const names: Record<string, string[]> = {
  'good.test': ['93.184.216.34'],
  'inside.test': ['10.0.0.7'],
  'both.test': ['93.184.216.34', '127.0.0.1'],
  'mapped.test': ['::ffff:10.0.0.7'],
  'nobody.test': [],
}
let server: Server
let origin: string
/** Aborts the current request; the server does so for a path that it never answers. */
let pendingTimeout: AbortController
const received: { path: string; authorization: string | undefined }[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url!
    received.push({ path, authorization: request.headers.authorization })
    const to = new URL(path, origin).searchParams.get('to')
    if (to) response.writeHead(302, { location: to }).end()
    else if (path.includes('/endless')) response.end(Buffer.alloc(1_100_000))
    else if (path.includes('/silent')) pendingTimeout.abort()
    else response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const send = (url: string, request: ProviderRequest = { publicOnly: true }) =>
  createOutbound({
    resolve: async (host) => names[host] ?? [],
    redirectRequest: (to) => new URL(`${origin}/${to.host}${to.pathname}${to.search}`),
    createTimeout: () => (pendingTimeout = new AbortController()).signal,
  }).send(url, request)

it.each([
  ['http://good.test/', 'not requested over TLS'],
  ['https://inside.test/', 'not a public address'],
  ['https://both.test/', 'not a public address'],
  ['https://mapped.test/', 'not a public address'],
  ['https://127.0.0.1/', 'not a public address'],
  ['https://2130706433/', 'not a public address'],
  ['https://[::1]/', 'not a public address'],
  ['https://169.254.169.254/latest', 'not a public address'],
  ['https://nobody.test/', "can't be resolved"],
  ['https://good.test/?to=https://inside.test/', 'not a public address'],
  ['https://good.test/?to=https://good.test/%3Fto=https://127.0.0.1/', 'not a public address'],
  ['https://good.test/?to=http://good.test/', 'away from TLS'],
  ['https://good.test/?to=file:///etc/passwd', 'unsupported scheme'],
  ['https://good.test/endless', 'more than'],
  ['https://good.test/silent', 'took too long'],
  ['nothing', 'not a URL'],
])('rejects %s', async (url, reason) => {
  await expect(send(url)).rejects.toThrow(reason)
})

it('sends a token to its own origin only', async () => {
  const headers = { Authorization: 'Bearer secret' }
  await send('https://good.test/?to=https://good.test/there', { headers, publicOnly: true })
  expect(received.at(-1)).toEqual({ path: '/good.test/there', authorization: 'Bearer secret' })
  await send('https://good.test/?to=https://other.test/there', { headers })
  expect(received.at(-1)).toEqual({ path: '/other.test/there', authorization: undefined })
})

it('does not follow redirects of a POST', async () => {
  const { status } = await send('https://good.test/?to=https://other.test/', { method: 'POST', body: 'a=b' })
  expect(status).toBe(302)
})

it('ends a request whose DNS lookup takes too long', async () => {
  const timeout = new AbortController()
  const outbound = createOutbound({
    resolve: () => {
      timeout.abort()
      return new Promise(() => {})
    },
    createTimeout: () => timeout.signal,
  })
  await expect(outbound.send('https://good.test/', { publicOnly: true })).rejects.toThrow('took too long')
})
