import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBackend, type Backend } from '../../support/backend.ts'
import { ask } from './ask.ts'

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
  'bird.svg',
  'inter.woff2',
  'logs/stream',
  'table?schema=auth&name=users',
  'user?id=x',
  'factors?id=x',
]
const buttons = ['keys', `factors?id=${crypto.randomUUID()}`]
const host = (): string => new URL(backend.dashboard).host
/** What a browser says of a form in our own page. */
const ownForm = (): Record<string, string> => ({
  origin: `http://${host()}`,
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
})

describe('opens', () => {
  it.each(pages)('its page "%s" at this machine with the link', async (page) => {
    const { status, text } = await ask(`${backend.dashboard}${page}`)
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
  it.each(visits)('for %s', async (_, headers) => {
    expect((await ask(backend.dashboard, { headers })).status).toBe(200)
  })

  it('without its last slash too', async () => {
    const { status, headers } = await ask(backend.dashboard.replace(/\/$/, ''))
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
    ['more than a page', () => `${backend.dashboard}tables/x`],
  ]
  it.each(wrong)('with %s', async (_, url) => {
    for (const page of ['', 'tables', ...files]) await isNotFound(url(page))
  })

  const strangers: [string, Record<string, string>][] = [
    ['a name that was rebound', { host: 'rebound.example' }],
    ['a rebound name that looks like ours', { host: 'localhost.example:80' }],
    ['a name in another address', { host: '127.0.0.1.example' }],
    ['a proxy', { 'x-forwarded-for': '203.0.113.7' }],
    ['a proxy that names the host', { 'x-forwarded-host': 'localhost' }],
    ['a proxy of another kind', { forwarded: 'for=203.0.113.7' }],
    ['nginx', { 'x-real-ip': '127.0.0.1' }],
    ['a tunnel', { 'cf-connecting-ip': '203.0.113.7' }],
    ['an older proxy', { via: '1.1 proxy' }],
    ['a script of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }],
    ['a picture in another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    ['a script at another port', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }],
    [
      'a frame in another site',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    ],
  ]
  it.each(strangers)('by %s', async (_, headers) => {
    for (const page of ['', 'tables', ...files]) await isNotFound(`${backend.dashboard}${page}`, { headers })
    for (const button of buttons)
      await isNotFound(`${backend.dashboard}${button}`, {
        method: 'POST',
        headers: { ...ownForm(), ...headers },
      })
  })

  const methods = ['PUT', 'DELETE', 'PATCH', 'OPTIONS']
  it.each(methods)('by %s', async (method) => {
    for (const button of buttons)
      await isNotFound(`${backend.dashboard}${button}`, { method, headers: ownForm() })
  })
})

describe('a button', () => {
  it('is heard from the page itself, and shows what it is for', async () => {
    const hidden = await ask(backend.dashboard)
    const shown = await ask(`${backend.dashboard}keys`, { method: 'POST', headers: ownForm() })
    expect(shown.status).toBe(200)
    for (const secret of [backend.secretKey, backend.serviceRoleKey, backend.jwtSecret]) {
      expect(shown.text).toContain(secret)
      expect(hidden.text).not.toContain(secret)
    }
    expect(hidden.text).toContain(backend.publishableKey)
  })

  const origins: [string, Record<string, string>][] = [
    ['no origin', {}],
    ['a page without one', { origin: 'null' }],
    ['another site', { origin: 'https://example.com' }],
    ['another port', { origin: 'http://127.0.0.1:1' }],
    ['the same name by https', { origin: 'https://HOST' }],
    ['a site that the browser calls another', { origin: 'http://HOST', 'sec-fetch-site': 'same-site' }],
    ['a GET', { method: 'GET', origin: 'http://HOST' }],
  ]
  it.each(origins)('is not heard from %s', async (_, { method = 'POST', ...headers }) => {
    const named = Object.entries(headers).map(([name, value]) => [name, value.replace('HOST', host())])
    for (const button of buttons)
      await isNotFound(`${backend.dashboard}${button}`, { method, headers: Object.fromEntries(named) })
  })
})

it('brings its own letters and bird', async () => {
  const font = await ask(`${backend.dashboard}inter.woff2`)
  expect([font.status, font.headers['content-type'], font.text.slice(0, 4)]).toEqual([
    200,
    'font/woff2',
    'wOF2',
  ])
  const bird = await ask(`${backend.dashboard}bird.svg`)
  expect([bird.status, bird.headers['content-type']]).toEqual([200, 'image/svg+xml'])
})

it('tells its token to nobody: not the log, not another site, not a cache, not a frame', async () => {
  const { headers, text } = await ask(`${backend.dashboard}logs`)
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

async function isNotFound(url: string, o: Parameters<typeof ask>[1] = {}): Promise<void> {
  const { status, text } = await ask(url, o)
  expect([status, text], `${o.method ?? 'GET'} ${url} ${JSON.stringify(o.headers)}`).toEqual([
    404,
    'Not found',
  ])
}
