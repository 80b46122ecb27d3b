import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { OutboundError } from '../../../backend/runtime/outbound/sendOutbound.ts'
import { createFetcher, type FoundPreview } from '../../../supabase/functions/link-previews/createFetcher.ts'
import { refusedUrls } from './refusedUrls.ts'
import { openTarget, type Arrived, type Target } from './target.ts'
import type { ServerResponse } from 'node:http'

/** Receives requests only if a rule fails. */
let inside: Target
/** A server at an allowed address. */
let outside: Target
const replies = new Map<string, (response: ServerResponse, request: Arrived) => void>()

beforeAll(async () => {
  inside = await openTarget((_, response) =>
    response.setHeader('Content-Type', 'text/html').end('<title>Inside</title>'),
  )
  outside = await openTarget((request, response) => {
    const reply = replies.get(new URL(request.url, 'http://x').pathname)
    if (reply) reply(response, request)
    else response.writeHead(404).end()
  })
})
beforeEach(() => {
  inside.arrived.length = 0
  outside.arrived.length = 0
  replies.clear()
})
afterAll(async () => {
  await inside?.close()
  await outside?.close()
})

/** A name server that leads everything but one name to this machine. */
const resolve = async (host: string): Promise<string[]> =>
  host === 'public.example' ? ['93.184.216.34', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'] : ['127.0.0.1']
const fetcher = (allowed: string[] = [], o: { isPinned?: boolean; resolve?: typeof resolve } = {}) =>
  createFetcher({ allowed, isPinned: true, resolve, ...o })
const toOutside = () => fetcher([`127.0.0.1:${outside.port}`])
const urlOf = (path: string) => `http://127.0.0.1:${outside.port}${path}`

/** Why a request was refused; null if there was a response. */
async function reasonOf(preview: Promise<FoundPreview | null>): Promise<string | null> {
  try {
    await preview
    return null
  } catch (error) {
    if (error instanceof OutboundError) return error.reason
    throw error
  }
}
const page =
  (html: string, type = 'text/html') =>
  (response: ServerResponse) =>
    response.writeHead(200, { 'Content-Type': type }).end(html)
const all = Object.values(refusedUrls).flat()
/** Of these, none is a failed connection. */
const refusals = ['refused', 'url', 'scheme', 'unresolved']

describe('addresses', () => {
  it('that are listed are requested, however they are written', async () => {
    const open = fetcher([`127.0.0.0/8:${inside.port}`])
    const local = all.filter((url) => /^http:\/\/[^/@]*:PORT/i.test(url))
    const found = await Promise.all(
      local.map((url) => open.fetchPreview(url.replaceAll('PORT', String(inside.port))).catch(() => null)),
    )
    expect(found.filter((preview) => preview?.title === 'Inside').length).toBeGreaterThan(30)
  })

  it('of a listener on this machine get no connection, however they are written', async () => {
    expect(new Set(all).size).toBeGreaterThan(200)
    for (const allowed of [[], ['127.0.0.1:1']]) {
      for (const url of all) {
        const aimed = url.replaceAll('PORT', String(inside.port))
        expect([url, await reasonOf(fetcher(allowed).fetchPreview(aimed))]).toEqual([
          url,
          expect.toBeOneOf(refusals),
        ])
      }
    }
    expect(inside.arrived).toEqual([])
  })

  it('are refused at the permitted ports too, with each runtime', async () => {
    for (const url of all) {
      for (const port of ['80', '443']) {
        const http = url.replaceAll('PORT', port).replace(/(public\.example):\d+/, '$1:8443')
        const https = http.replace(/^http:/i, 'https:')
        for (const [aimed, isPinned] of [
          [http, true],
          [https, true],
          [https, false],
        ] as const) {
          const reason = await reasonOf(fetcher([], { isPinned }).fetchPreview(aimed))
          expect([aimed, reason]).toEqual([aimed, expect.toBeOneOf(refusals)])
        }
      }
    }
  })

  it('of redirects are checked like the first one', async () => {
    // A header holds no line breaks and no NUL.
    const urls = all.filter((url) => !/[\n\0]/.test(url))
    for (const [n, url] of urls.entries()) {
      replies.set(`/from/${n}`, (response) => {
        const location = Buffer.from(url.replaceAll('PORT', String(inside.port))).toString('latin1')
        response.writeHead(302, { Location: location }).end()
      })
      // What is no absolute URL is a path of the server that redirects, and not found there.
      const result = await toOutside()
        .fetchPreview(urlOf(`/from/${n}`))
        .catch((error: Error) => (error instanceof OutboundError ? null : error))
      expect([url, result]).toEqual([url, null])
    }
    expect(outside.arrived.length).toBeGreaterThanOrEqual(urls.length)
    expect(inside.arrived).toEqual([])
  })

  it('are resolved once, and all of a name must be public', async () => {
    let lookups = 0
    const rebinding = async () => (++lookups === 1 ? ['127.0.0.1'] : ['::1'])
    replies.set('/', page('<title>Once</title>'))
    const rebound = fetcher(['rebind.example'], { resolve: rebinding })
    expect(await rebound.fetchPreview(`http://rebind.example:${outside.port}/`)).toMatchObject({
      title: 'Once',
    })
    expect(lookups).toBe(1)
    for (const addresses of [['93.184.216.34', '127.0.0.1'], ['::1', '93.184.216.34'], []]) {
      const mixed = fetcher([], { resolve: async () => addresses })
      expect(await reasonOf(mixed.fetchPreview('http://mixed.example/'))).toBeOneOf(refusals)
    }
  })

  it.each(['http://user@public.example/', 'http://u:p@public.example/', 'http://public.example:8080/'])(
    '%s is refused',
    async (url) => {
      expect(await reasonOf(fetcher().fetchPreview(url))).toBe('refused')
    },
  )

  it('need TLS where the runtime cannot connect to a checked address', async () => {
    const unpinned = fetcher([`127.0.0.1:${outside.port}`], { isPinned: false })
    expect(await reasonOf(unpinned.fetchPreview(urlOf('/')))).toBe('refused')
    expect(outside.arrived).toEqual([])
  })
})

describe('responses', () => {
  it('become a preview with a picture, without cookies or a referrer', async () => {
    const gif = Buffer.alloc(20)
    gif.write('GIF89a', 'latin1')
    gif.writeUInt16LE(64, 6)
    gif.writeUInt16LE(48, 8)
    replies.set('/article', page('<meta property="og:image" content="/a.gif"><title>A &amp; B</title>'))
    replies.set('/a.gif', (response) => response.writeHead(200, { 'Content-Type': 'image/png' }).end(gif))
    replies.set('/short', (response) => response.writeHead(301, { Location: '/article' }).end())
    expect(await toOutside().fetchPreview(urlOf('/short'))).toEqual({
      title: 'A & B',
      description: '',
      site: '127.0.0.1',
      picture: { bytes: gif, type: 'image/gif', width: 64, height: 48 },
    })
    expect(outside.arrived.map(({ url }) => url)).toEqual(['/short', '/article', '/a.gif'])
    for (const { headers } of outside.arrived) {
      expect(Object.keys(headers).toSorted()).toEqual([
        'accept',
        'accept-encoding',
        'connection',
        'host',
        'user-agent',
      ])
    }
  })

  it('without a picture that can be fetched are shown without one', async () => {
    replies.set(
      '/page',
      page(`<meta property="og:image" content="http://127.0.0.1:${inside.port}/a.png"><title>T</title>`),
    )
    expect(await toOutside().fetchPreview(urlOf('/page'))).toMatchObject({ title: 'T', picture: null })
    replies.set('/page', page('<meta property="og:image" content="/page"><title>T</title>'))
    expect(await toOutside().fetchPreview(urlOf('/page'))).toMatchObject({ title: 'T', picture: null })
    expect(inside.arrived).toEqual([])
  })

  it('that are no pages, are errors, or are compressed have none', async () => {
    replies.set('/', page('<title>T</title>', 'application/json'))
    expect(await toOutside().fetchPreview(urlOf('/'))).toBe(null)
    replies.set('/', (response) =>
      response.writeHead(500, { 'Content-Type': 'text/html' }).end('<title>Broken</title>'),
    )
    expect(await toOutside().fetchPreview(urlOf('/'))).toBe(null)
    replies.set('/', (response) =>
      response
        .writeHead(200, { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' })
        .end('<title>T</title>'),
    )
    expect(await toOutside().fetchPreview(urlOf('/'))).toBe(null)
  })

  it('without an end are read up to half a mebibyte', async () => {
    let written = 0
    replies.set('/', (response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).write('<title>Endless</title>')
      const chunk = 'x'.repeat(65_536)
      const write = (): void => {
        while (!response.destroyed) {
          written += chunk.length
          if (!response.write(chunk)) return void response.once('drain', write)
        }
      }
      write()
    })
    expect(await toOutside().fetchPreview(urlOf('/'))).toMatchObject({ title: 'Endless' })
    expect(written).toBeGreaterThan(400_000)
  })

  it('that redirect in a circle are refused after three redirects', async () => {
    replies.set('/', (response) => response.writeHead(302, { Location: '/' }).end())
    expect(await reasonOf(toOutside().fetchPreview(urlOf('/')))).toBe('redirects')
    expect(outside.arrived).toHaveLength(4)
  })
})
