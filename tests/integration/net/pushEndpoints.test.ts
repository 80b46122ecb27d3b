import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { OutboundError } from '../../../backend/runtime/outbound/sendOutbound.ts'
import { createPoster } from '../../../supabase/functions/push/createPoster.ts'
import { sendPushes } from '../../../supabase/functions/push/sendPushes.ts'
import { createVapidKeys, createVapidSigner } from '../../../supabase/functions/push/vapid.ts'
import { startPushService } from '../../support/startPushService.ts'
import { refusedUrls } from './refusedUrls.ts'
import { openTarget, type Target } from './target.ts'
import { parseUrl } from '../../../backend/runtime/parseUrl.ts'

/** Receives requests only if a rule fails. */
let inside: Target

beforeAll(async () => {
  inside = await openTarget()
})
beforeEach(() => {
  inside.arrived.length = 0
})
afterAll(async () => {
  await inside?.close()
})

const resolve = async (host: string): Promise<string[]> =>
  host === 'public.example' ? ['93.184.216.34', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'] : ['127.0.0.1']
const posterOf = (allowed: string[] = [], o: { isPinned?: boolean; resolve?: typeof resolve } = {}) =>
  createPoster({ allowed, isPinned: true, resolve, fetch: unusedFetch, ...o })
const unusedFetch: typeof fetch = () => Promise.reject(new Error('A refused address was requested'))
/** Why a request was refused; null if there was a response. */
async function reasonOf(url: string, poster: ReturnType<typeof posterOf>): Promise<string | null> {
  try {
    await poster.post(url, {}, new Uint8Array(1))
    return null
  } catch (error) {
    if (error instanceof OutboundError) return error.reason
    if (error instanceof TypeError && parseUrl(url) === null) return 'url'
    throw error
  } finally {
    poster.close()
  }
}
const all = Object.values(refusedUrls).flat()
const aimedAt = (port: number | string) => all.map((url) => url.replaceAll('PORT', String(port)))
/** Of these, none is a failed connection. */
const refusals = ['refused', 'url', 'scheme', 'unresolved']

it('endpoints on this machine are requested where they are listed, however they are written', async () => {
  const urls = aimedAt(inside.port).filter((url) => /^http:\/\/[^/@]*:\d+\/?$/i.test(url))
  const found = await Promise.all(
    urls.map((url) => reasonOf(url, posterOf([`127.0.0.0/8:${inside.port}`])).catch(() => 'other')),
  )
  expect(found.filter((reason) => reason === null).length).toBeGreaterThan(30)
  expect(inside.arrived.length).toBeGreaterThan(30)
})

it('endpoints with a private address get no connection, however they are written', async () => {
  expect(new Set(all).size).toBeGreaterThan(200)
  for (const allowed of [[], ['127.0.0.1:1']]) {
    for (const url of aimedAt(inside.port)) {
      expect([url, await reasonOf(url, posterOf(allowed))]).toEqual([url, expect.toBeOneOf(refusals)])
    }
  }
  expect(inside.arrived).toEqual([])
})

it('endpoints with a private address are refused at the ports of push services too, with each runtime', async () => {
  for (const url of aimedAt(443)) {
    const https = url.replace(/(public\.example):\d+/, '$1:8443').replace(/^http:/i, 'https:')
    for (const isPinned of [true, false]) {
      expect([https, await reasonOf(https, posterOf([], { isPinned }))]).toEqual([
        https,
        expect.toBeOneOf(refusals),
      ])
    }
  }
})

it('a name is resolved once for all messages, and all of its addresses must be public', async () => {
  let lookups = 0
  const rebinding = async () => (++lookups === 1 ? ['127.0.0.1'] : ['::1'])
  const poster = posterOf(['rebind.example'], { resolve: rebinding })
  for (let n = 0; n < 3; n++) {
    const response = await poster.post(`http://rebind.example:${inside.port}/${n}`, {}, new Uint8Array(1))
    expect(response).toEqual({ status: 200, retryAfter: null })
  }
  poster.close()
  expect(lookups).toBe(1)
  expect(inside.arrived).toHaveLength(3)
  const mixed = posterOf([], { resolve: async () => ['93.184.216.34', '127.0.0.1'] })
  expect(await reasonOf('https://mixed.example/', mixed)).toBe('refused')
})

it('a redirect is not followed, and what is refused is not repeated', async () => {
  const service = await startPushService()
  try {
    const [open, closed] = [service.subscribe(), service.subscribe()]
    service.respond = ({ browser }) =>
      browser === open
        ? { status: 307, headers: { location: `http://127.0.0.1:${inside.port}/` } }
        : undefined
    const pushOf = ({ endpoint, p256dh, auth }: typeof open, id: string) => {
      const content = { kind: 'test' as const, urgent: false, tag: 'test', language: 'en', token: 'token' }
      return { jobs: [id], subscription: id, endpoint, p256dh, auth, short: false, content }
    }
    const poster = posterOf([`127.0.0.1:${new URL(service.url).port}`])
    const results = await sendPushes(
      [
        pushOf(open, 'redirect'),
        pushOf({ ...closed, endpoint: `http://127.0.0.1:${inside.port}/` }, 'private'),
        pushOf({ ...closed, endpoint: 'https://unknown.invalid/' }, 'allowed name, private address'),
      ],
      {
        post: poster.post,
        authorization: createVapidSigner(await createVapidKeys(), 'https://x.example'),
        reportUrl: 'https://x.example',
        siteUrl: 'https://chat.example',
      },
    )
    poster.close()
    const outcomes = results.map(({ subscription, status, problem }) => [subscription, status, problem])
    expect(outcomes.toSorted()).toEqual([
      ['allowed name, private address', 403, 'refused'],
      ['private', 403, 'refused'],
      ['redirect', 307, 'status 307'],
    ])
    expect([service.violations, inside.arrived]).toEqual([[], []])
  } finally {
    service.stop()
  }
})
