import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBackend, type Backend } from '../../support/backend.ts'
import { sendRequest } from './sendRequest.ts'

let backend: Backend
beforeAll(async () => {
  backend = await startBackend()
})
afterAll(() => backend?.stop())

const pages = [
  '',
  'tables',
  'users',
  'files',
  'routines',
  'functions',
  'jobs',
  'logs',
  'migrations',
  'settings',
]
const files = [
  'logo.svg',
  'inter.woff2',
  'logs/stream',
  'table?schema=auth&name=users',
  'user?id=x',
  'factors?id=x',
]
const buttons = ['keys', `factors?id=${crypto.randomUUID()}`]
const host = (): string => new URL(backend.dashboard).host
/** The headers that a browser sends with a form of the page. */
const ownForm = (): Record<string, string> => ({
  origin: `http://${host()}`,
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
})

describe('the administration page', () => {
  it.each(pages)('serves "%s" to this machine with the token', async (page) => {
    const { status, text } = await sendRequest(`${backend.dashboard}${page}`)
    expect(status).toBe(200)
    expect(text).toContain('</html>')
  })

  const visits: [string, Record<string, string>][] = [
    [
      'a link typed in',
      { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    ],
    ['a link in the application', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' }],
    [
      'a link followed from a web terminal',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    ],
    ['localhost by name', { host: 'localhost:1234' }],
  ]
  it.each(visits)('opens for %s', async (_, headers) => {
    expect((await sendRequest(backend.dashboard, { headers })).status).toBe(200)
  })

  it('redirects to the trailing slash', async () => {
    const { status, headers } = await sendRequest(backend.dashboard.replace(/\/$/, ''))
    expect(status).toBe(302)
    expect(backend.dashboard.endsWith(headers.location!)).toBe(true)
  })
})

describe('is not found', () => {
  const wrong: [string, (page: string) => string][] = [
    ['a wrong token', (page) => new URL(`/_/${'A'.repeat(32)}/${page}`, backend.url).href],
    ['part of the token', (page) => backend.dashboard.replace(/.\/$/, `/${page}`)],
    ['an empty token', (page) => new URL(`/_//${page}`, backend.url).href],
    ["the mailbox's token", (page) => `${backend.mailbox!.replace('/mailbox/', '/_/')}/${page}`],
    ['a page that does not exist', () => `${backend.dashboard}nothing`],
    ['a page named as what every object has', () => `${backend.dashboard}constructor`],
    ['a deeper path', () => `${backend.dashboard}tables/x`],
  ]
  it.each(wrong)('with %s', async (_, url) => {
    for (const page of ['', 'tables', ...files]) await expectNotFound(url(page))
  })

  const foreignRequests: [string, Record<string, string>][] = [
    ['DNS rebinding', { host: 'rebound.example' }],
    ['a rebound name that starts with localhost', { host: 'localhost.example:80' }],
    ['a name that contains the address', { host: '127.0.0.1.example' }],
    ['a proxy', { 'x-forwarded-for': '203.0.113.7' }],
    ['a proxy that names the host', { 'x-forwarded-host': 'localhost' }],
    ['a proxy with Forwarded', { forwarded: 'for=203.0.113.7' }],
    ['nginx', { 'x-real-ip': '127.0.0.1' }],
    ['a tunnel', { 'cf-connecting-ip': '203.0.113.7' }],
    ['a proxy with Via', { via: '1.1 proxy' }],
    ['a script of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }],
    ['an image in another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    ['a script of another port', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }],
    [
      'a frame in another site',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    ],
  ]
  it.each(foreignRequests)('by %s', async (_, headers) => {
    for (const page of ['', 'tables', ...files])
      await expectNotFound(`${backend.dashboard}${page}`, { headers })
    for (const button of buttons)
      await expectNotFound(`${backend.dashboard}${button}`, {
        method: 'POST',
        headers: { ...ownForm(), ...headers },
      })
  })

  const methods = ['PUT', 'DELETE', 'PATCH', 'OPTIONS']
  it.each(methods)('by %s', async (method) => {
    for (const button of buttons)
      await expectNotFound(`${backend.dashboard}${button}`, { method, headers: ownForm() })
  })
})

describe('a button', () => {
  it('works from the page itself, and shows the secret keys', async () => {
    const hidden = await sendRequest(backend.dashboard)
    const shown = await sendRequest(`${backend.dashboard}keys`, { method: 'POST', headers: ownForm() })
    expect(shown.status).toBe(200)
    for (const secret of [backend.secretKey, backend.serviceRoleKey, backend.jwtSecret]) {
      expect(shown.text).toContain(secret)
      expect(hidden.text).not.toContain(secret)
    }
    expect(hidden.text).toContain(backend.publishableKey)
  })

  const origins: [string, Record<string, string>][] = [
    ['no origin', {}],
    ['an opaque origin', { origin: 'null' }],
    ['another site', { origin: 'https://example.com' }],
    ['another port', { origin: 'http://127.0.0.1:1' }],
    ['the same host with https', { origin: 'https://HOST' }],
    ['a site that the browser reports as another', { origin: 'http://HOST', 'sec-fetch-site': 'same-site' }],
    ['a GET', { method: 'GET', origin: 'http://HOST' }],
  ]
  it.each(origins)('is refused from %s', async (_, { method = 'POST', ...headers }) => {
    const named = Object.entries(headers).map(([name, value]) => [name, value.replace('HOST', host())])
    for (const button of buttons)
      await expectNotFound(`${backend.dashboard}${button}`, { method, headers: Object.fromEntries(named) })
  })
})

it('serves its font and logo', async () => {
  const font = await sendRequest(`${backend.dashboard}inter.woff2`)
  expect([font.status, font.headers['content-type'], font.text.slice(0, 4)]).toEqual([
    200,
    'font/woff2',
    'wOF2',
  ])
  const logo = await sendRequest(`${backend.dashboard}logo.svg`)
  expect([logo.status, logo.headers['content-type']]).toEqual([200, 'image/svg+xml'])
})

it('does not expose its token to the log, other sites, caches or frames', async () => {
  const { headers, text } = await sendRequest(`${backend.dashboard}logs`)
  const token = new URL(backend.dashboard).pathname.split('/')[2]!
  expect(token.length).toBeGreaterThanOrEqual(32)
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  })
  expect(headers).not.toHaveProperty('access-control-allow-origin')
  expect(headers['content-security-policy']).toMatch(/frame-ancestors 'none'/)
  expect(headers['content-security-policy']).not.toMatch(/unsafe|\*|https?:/)
  for (const element of ['script', 'style']) {
    const [, own] = new RegExp(`<${element}>(.*)</${element}>`, 's').exec(text)!
    const digest = createHash('sha256').update(own!).digest('base64')
    expect(headers['content-security-policy']).toContain(`${element}-src 'sha256-${digest}';`)
  }
  const lines = text.slice(text.indexOf('<ol class="log"'))
  expect(lines).toContain('GET /_ 404')
  expect(lines).not.toContain(token)
})

async function expectNotFound(url: string, o: Parameters<typeof sendRequest>[1] = {}): Promise<void> {
  const { status, text } = await sendRequest(url, o)
  expect([status, text], `${o.method ?? 'GET'} ${url} ${JSON.stringify(o.headers)}`).toEqual([
    404,
    'Not found',
  ])
}
