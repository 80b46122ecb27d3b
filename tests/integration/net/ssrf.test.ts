import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createOwnEndpoint } from '../../../backend/jobs/http/ownEndpoint.ts'
import type { DestinationContext } from '../../../backend/jobs/http/findDestination.ts'
import { parseAllowed } from '../../../backend/jobs/http/parseAllowed.ts'
import { sendRequest, type SendResult } from '../../../backend/jobs/http/sendRequest.ts'
import { refusedUrls } from './refusedUrls.ts'
import { openTarget, type Target } from './target.ts'

/** Accepts every connection to this machine, over IPv4 and IPv6, before any data is sent. */
let listener: Server
let port: number
let connections = 0

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)

/** Responses of a hostile or a local name server. */
const names: Record<string, string[]> = {
  'public.example': ['93.184.216.34', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'mixed.example': ['93.184.216.34', '127.0.0.1'],
  'mixed6.example': ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', '::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'six.example': ['::1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'teredo.example': ['2001:0:7f00:1::'],
  '6to4.example': ['2002:7f00:1::1'],
  'zone.example': ['fe80::1%lo'],
  'intranet.example': ['10.1.2.3'],
  'carrier.example': ['100.64.1.1'],
  'link.example': ['169.254.169.254'],
  'metadata.google.internal': ['169.254.169.254'],
  'unspecified.example': ['0.0.0.0'],
  'unspecified6.example': ['::'],
  'broadcast.example': ['255.255.255.255'],
  'printer.local': ['192.168.1.9'],
  'db.internal': ['172.18.0.2'],
}
/** Any other name leads here, as a name server that is set on it may have it. */
const resolve = async (host: string): Promise<string[]> => names[host] ?? ['127.0.0.1']

const around = (allowed: string[], o: Partial<DestinationContext> = {}): DestinationContext => ({
  allowed: parseAllowed(allowed),
  resolve,
  ownEndpoint: createOwnEndpoint({
    localUrl: () => 'http://127.0.0.1:1',
    publicUrl: () => 'https://chat.example',
    apiPort: 54_321,
  }),
  ...o,
})

let requests = 0
const send = (url: string, surroundings: DestinationContext, timeout = 5_000): Promise<SendResult> =>
  sendRequest(
    { id: String(++requests), method: 'GET', url, headers: {}, body: null, timeout_milliseconds: timeout },
    surroundings,
    new AbortController().signal,
  )

const all = Object.values(refusedUrls).flat()
const aimed = (url: string): string => url.replaceAll('PORT', String(port))

beforeAll(async () => {
  listener = createServer((_, response) => response.end('inside'))
  listener.on('connection', () => connections++)
  await new Promise<void>((done) => {
    listener.listen(0, done)
  })
  ;({ port } = listener.address() as AddressInfo)
})
beforeEach(() => {
  connections = 0
})
afterAll(async () => {
  listener?.closeAllConnections()
  await new Promise((done) => {
    listener.close(done)
  })
})

it('contains more than 200 URLs, many of which reach the listener if they are allowed', async () => {
  expect(new Set(all).size).toBeGreaterThan(200)
  const local = all.filter((url) => url.includes('PORT'))
  const open = around(['127.0.0.0/8:' + port, '[::1]:' + port, '0.0.0.0:' + port, '[::]:' + port])
  const reached = await Promise.all(local.map((url) => send(aimed(url), open)))
  expect(reached.filter(({ outcome }) => outcome.content === 'inside').length).toBeGreaterThan(80)
  expect(connections).toBeGreaterThan(80)
})

describe.each(Object.entries(refusedUrls))('%s', (_, urls) => {
  it('causes no connection, and is reported as refused', async () => {
    for (const url of urls) {
      const { outcome } = await send(aimed(url), around([]))
      expect([url, outcome.status_code, outcome.error_msg]).toEqual([
        url,
        null,
        expect.stringMatching(
          /^Requests to .* are refused|^Unsupported protocol$|^URL using bad\/illegal format/,
        ),
      ])
    }
    expect(connections).toBe(0)
  })
})

describe('redirects', () => {
  let outside: Target
  const locations: string[] = []

  beforeAll(async () => {
    outside = await openTarget(({ url }, response) => {
      const location = locations[Number(url.slice('/start/'.length))]
      if (location === undefined) response.writeHead(404).end()
      else response.writeHead(302, { Location: Buffer.from(location).toString('latin1') }).end()
    })
  })
  afterAll(() => outside.close())

  const follow = (location: string): Promise<SendResult> => {
    const n = locations.push(location) - 1
    return send(`http://127.0.0.1:${outside.port}/start/${n}`, around([`127.0.0.1:${outside.port}`]))
  }

  it('are checked like the first URL', async () => {
    const elsewhere = await follow(`http://127.0.0.1:${outside.port}/elsewhere`)
    expect(elsewhere.outcome.status_code).toBe(404)
    // A header holds no line breaks and no NUL.
    const urls = all.filter((url) => !/[\n\0]/.test(url))
    const followed = await Promise.all(urls.map((url) => follow(aimed(url))))
    // A location that is no absolute URL is a path on the server that sent it.
    expect(followed.map(({ outcome }) => outcome.content)).toEqual(urls.map(() => null))
    expect(connections).toBe(0)
  })
})

describe('DNS rebinding', () => {
  it('a name is resolved once, and the connection uses that address', async () => {
    let lookups = 0
    const rebinding = async (): Promise<string[]> => (++lookups === 1 ? ['127.0.0.1'] : ['::1'])
    const allowed = [`127.0.0.1:${port}`]
    const { outcome } = await send(`http://rebind.example:${port}/`, around(allowed, { resolve: rebinding }))
    expect(outcome.content).toBe('inside')
    expect(lookups).toBe(1)
    // The second result is not allowed: with a second lookup this request would have been refused.
    expect(
      (await send(`http://rebind.example:${port}/`, around(allowed, { resolve: rebinding }))).refused,
    ).not.toBe(null)
    expect(connections).toBe(1)
  })

  it('a name with one refused address is refused, in any order', async () => {
    for (const responses of [
      ['127.0.0.1', '::1'],
      ['::1', '127.0.0.1'],
      ['127.0.0.1', '10.0.0.1'],
    ]) {
      const { refused } = await send(
        `http://rebind.example:${port}/`,
        around([`127.0.0.1:${port}`], { resolve: async () => responses }),
      )
      expect(refused).not.toBe(null)
    }
    expect(connections).toBe(0)
  })

  it('a lookup without a response ends with the timeout of the request', async () => {
    const never = new Promise<string[]>(() => {})
    const { outcome } = await send('http://slow.example/', around([], { resolve: () => never }), 50)
    expect(outcome).toMatchObject({ timed_out: true })
    expect(outcome.error_msg).toMatch(/^Timeout of 50 ms reached/)
  })

  it('the message contains no address', async () => {
    const { outcome, refused } = await send('http://intranet.example/', around([]))
    expect(outcome.error_msg).not.toContain('10.1.2.3')
    expect(refused!.why).toContain('10.1.2.3')
  })
})

describe('allowed destinations', () => {
  it.each([
    [['127.0.0.0/8'], '127.0.0.1', true],
    [['127.0.0.0/8:1'], '127.0.0.1', false],
    [['127.0.0.1'], '[::ffff:127.0.0.1]', true],
    [['[::1]'], '[::1]', true],
    [['::1'], '[::1]', true],
    [['::1'], '127.0.0.1', false],
    [['inner.example'], 'inner.example', true],
    [['inner.example'], 'INNER.example.', true],
    [['inner.example'], 'other.example', false],
    [['*.example'], 'a.b.example', true],
    [['*.example'], 'example', false],
    [['*.example'], 'badexample', false],
    [['inner.example:1'], 'inner.example', false],
  ])('%j allows %s: %s', async (allowed, host, opens) => {
    const { outcome } = await send(`http://${host}:${port}/`, around(allowed))
    const reaches = opens && (hasIpv6 || host !== '[::1]')
    expect(outcome.content === 'inside').toBe(reaches)
    expect(connections).toBe(reaches ? 1 : 0)
  })

  it.each([
    '',
    '10.0.0.0/33',
    '10.0.0/8',
    'http://intranet',
    'a b',
    'host:0',
    'host:99999',
    '300.1.1.1',
    '*',
    '10.0.0.0/x',
  ])('refuses %j as a destination', (entry) => {
    expect(() => parseAllowed([entry])).toThrow(`contains "${entry}"`)
  })
})
