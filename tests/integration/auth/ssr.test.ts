import {
  createBrowserClient,
  createServerClient,
  parseCookieHeader,
  serializeCookieHeader,
} from '@supabase/ssr'
import { serve } from '@hono/node-server'
import type { Session, SupabaseClient } from '@supabase/supabase-js'
import { Hono } from 'hono'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import ws from 'ws'
import { createCookieJar, type CookieJar } from './support/cookieJar.ts'
import { signIn, tokenOf } from './support/testUser.ts'
import {
  latestMailTo,
  uniqueEmail,
  startAuth,
  startDatabase,
  type AuthDatabase,
  type AuthServer,
} from './support/startAuth.ts'

/** The name of the session cookie of @supabase/ssr for a service at 127.0.0.1. */
const name = 'sb-127-auth-token'
const realtime = { transport: ws as never }

let database: AuthDatabase
let auth: AuthServer
/** An application with server-side rendering, as with Next.js or SvelteKit. */
let application: { url: string; stop(): Promise<void> }
beforeAll(async () => {
  database = await startDatabase()
  auth = await startAuth(database, '')
  application = await startApplication()
})
afterAll(async () => {
  await Promise.all([auth.stop(), application.stop()])
  await database.stop()
})

/** Its routes follow the Supabase guides for such applications. */
async function startApplication(): Promise<typeof application> {
  const app = new Hono<{ Variables: { supabase: SupabaseClient } }>()
  app.use(async (c, next) => {
    const bearer = c.req.header('authorization')
    const supabase = createServerClient(auth.url, auth.anonKey, {
      cookies: {
        getAll: () =>
          parseCookieHeader(c.req.header('cookie') ?? '').map(({ name, value = '' }) => ({ name, value })),
        setAll(cookies, result) {
          for (const { name, value, options } of cookies)
            c.header('set-cookie', serializeCookieHeader(name, value, options), { append: true })
          for (const [header, value] of Object.entries(result)) c.header(header, value)
        },
      },
      ...(bearer ? { global: { headers: { Authorization: bearer } } } : {}),
      realtime,
    })
    c.set('supabase', supabase)
    await next()
  })
  app.post('/sign-in', async (c) => {
    const { email, password } = await c.req.json<{ email: string; password: string }>()
    return c.json(await c.var.supabase.auth.signInWithPassword({ email, password }))
  })
  app.post('/link', async (c) => {
    const { email, forgotten } = await c.req.json<{ email: string; forgotten: boolean }>()
    const back = new URL('/auth/callback', auth.url).href
    const { error } = forgotten
      ? await c.var.supabase.auth.resetPasswordForEmail(email, { redirectTo: back })
      : await c.var.supabase.auth.signInWithOtp({ email, options: { emailRedirectTo: back } })
    return c.json({ error })
  })
  app.get('/auth/callback', async (c) => {
    const { error } = await c.var.supabase.auth.exchangeCodeForSession(c.req.query('code') ?? '')
    return c.redirect(error ? `/sorry?${error.code}` : '/home')
  })
  app.get('/me', async (c) => {
    const { data, error } = await c.var.supabase.auth.getUser()
    const claims = await c.var.supabase.auth.getClaims()
    return c.json({ email: data.user?.email, error: error?.name, claimed: claims.data?.claims['email'] })
  })
  app.post('/me', async (c) => {
    const { error } = await c.var.supabase.auth.updateUser({ data: await c.req.json() })
    return c.json({ error })
  })
  app.post('/sign-out', async (c) => c.json(await c.var.supabase.auth.signOut()))
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 })
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => void server.close(() => resolve())),
  }
}

/** A browser of the application. */
function browse() {
  const jar = createCookieJar()
  return {
    jar,
    async go(path: string, json?: unknown) {
      const response = await fetch(`${application.url}${path}`, {
        redirect: 'manual',
        headers: {
          cookie: jar.header(),
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) }),
      })
      for (const cookie of response.headers.getSetCookie()) jar.set(cookie)
      return response
    },
    async see(path: string, json?: unknown) {
      return (await (await this.go(path, json)).json()) as Record<string, unknown>
    },
  }
}

/** The session cookies; cookies of verifiers stay, since another tab may be signing in. */
const partsIn = (jar: CookieJar): string[] => jar.names().filter((one) => !one.endsWith('-code-verifier'))

/** The session in a cookie jar, reassembled from its chunks. */
function sessionIn(jar: CookieJar): Session {
  const value = partsIn(jar)
    .map((one) => jar.get(one))
    .join('')
  expect(value).toMatch(/^base64-[\w-]+$/)
  return JSON.parse(Buffer.from(value.slice('base64-'.length), 'base64url').toString()) as Session
}

/** Expires the access token in a cookie jar. */
function age(jar: CookieJar): Session {
  const session = sessionIn(jar)
  const old = JSON.stringify({ ...session, expires_at: Math.floor(Date.now() / 1000) - 1 })
  jar.put(name, `base64-${Buffer.from(old).toString('base64url')}`)
  return session
}

/** The redirect of a link in a mail. */
async function follow(email: string): Promise<URL> {
  const followed = await fetch(latestMailTo(auth, email).link!, { redirect: 'manual' })
  return new URL(followed.headers.get('location')!)
}

/** A user whose browser is signed in at the application. */
async function signedIn() {
  const browser = browse()
  const { email } = await signIn(auth)
  await browser.go('/link', { email })
  const { pathname, search } = await follow(email)
  await browser.go(pathname + search)
  return { browser, email }
}

describe('an application that keeps the session in cookies', () => {
  it('signs in with a password, and sets the session cookies', async () => {
    const email = uniqueEmail()
    await auth.asService().auth.admin.createUser({ email, password: 'long enough', email_confirm: true })
    const browser = browse()
    const wrong = await browser.see('/sign-in', { email, password: 'wrong one' })
    expect(wrong['error']).toMatchObject({ status: 400, code: 'invalid_credentials' })
    expect(partsIn(browser.jar)).toEqual([])
    const response = await browser.go('/sign-in', { email, password: 'long enough' })
    expect(response.headers.get('cache-control')).toContain('no-store')
    expect(partsIn(browser.jar)).toEqual([name])
    const { 'max-age': age, path, samesite, httponly } = browser.jar.attributes(name)
    expect({ age, path, samesite, httponly }).toEqual({
      age: String(400 * 86_400),
      path: '/',
      samesite: 'Lax',
      httponly: undefined,
    })
    expect(sessionIn(browser.jar)).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      user: { email, role: 'authenticated' },
    })
    expect(await browser.see('/me')).toEqual({ email, claimed: email })
  })

  it('exchanges a code on its server, only with the browser’s verifier', async () => {
    const browser = browse()
    const email = uniqueEmail()
    expect((await browser.see('/link', { email }))['error']).toBeNull()
    expect(browser.jar.names()).toContain(`${name}-code-verifier`)
    expect(partsIn(browser.jar)).toEqual([])
    const copy = browse()
    for (const one of browser.jar.names()) copy.jar.put(one, browser.jar.get(one)!)
    const end = async ({ go }: typeof browser, path: string) => (await go(path)).headers.get('location')
    const { pathname, search } = await follow(email)
    expect(await end(browse(), pathname + search)).toMatch(/^\/sorry/)
    expect(await end(browser, pathname + search)).toBe('/home')
    expect(partsIn(browser.jar)).toEqual([name])
    expect(browser.jar.names()).not.toContain(`${name}-code-verifier`)
    expect(await browser.see('/me')).toEqual({ email, claimed: email })
    expect(await end(copy, pathname + search)).toBe('/sorry?flow_state_not_found')
    // Password recovery works the same way.
    auth.advanceClock(60_000)
    await browser.go('/link', { email, forgotten: true })
    const recovery = await follow(email)
    expect(await end(browser, recovery.pathname + recovery.search)).toBe('/home')
  })

  it('refreshes an expired session, and continues with it', async () => {
    const { browser, email } = await signedIn()
    const seen = new Set<string>()
    for (let request = 0; request < 2; request++) {
      const { refresh_token } = age(browser.jar)
      seen.add(refresh_token)
      expect(await browser.see('/me')).toEqual({ email, claimed: email })
      expect(seen).not.toContain(sessionIn(browser.jar).refresh_token)
    }
    // Two concurrent requests with the same old cookie both get the active session.
    age(browser.jar)
    const both = await Promise.all([browser.see('/me'), browser.see('/me')])
    expect(both).toEqual([
      { email, claimed: email },
      { email, claimed: email },
    ])
    age(browser.jar)
    expect(await browser.see('/me')).toEqual({ email, claimed: email })
  })

  it('splits a session that is too large for a cookie, and deletes leftover chunks', async () => {
    const { browser, email } = await signedIn()
    const large = { about: 'ä'.repeat(1200), filler: 'x'.repeat(2400) }
    expect((await browser.see('/me', large))['error']).toBeNull()
    const parts = partsIn(browser.jar)
    expect(parts.length).toBeGreaterThan(2)
    expect(parts).toEqual(parts.map((_, at) => `${name}.${at}`))
    for (const part of parts) expect(browser.jar.get(part)!.length).toBeLessThanOrEqual(3180)
    expect(sessionIn(browser.jar).user.user_metadata).toMatchObject(large)
    expect((await browser.see('/me'))['email']).toBe(email)
    await browser.go('/me', { about: null, filler: null })
    expect(partsIn(browser.jar)).toEqual([name])
    expect((await browser.see('/me'))['email']).toBe(email)
  })

  it('clears its cookies at a sign-out, after which stolen ones are invalid', async () => {
    const { browser } = await signedIn()
    await browser.go('/me', { filler: 'x'.repeat(4000) })
    expect(partsIn(browser.jar)).not.toHaveLength(1)
    const thief = browse()
    for (const part of partsIn(browser.jar)) thief.jar.put(part, browser.jar.get(part)!)
    expect(await thief.see('/me')).toHaveProperty('email')
    expect((await browser.see('/sign-out', {}))['error']).toBeNull()
    expect(partsIn(browser.jar)).toEqual([])
    expect(await browser.see('/me')).toEqual({ error: 'AuthSessionMissingError' })
    expect((await thief.see('/me'))['error']).toBe('AuthSessionMissingError')
  })

  it('rejects forged cookies', async () => {
    const { browser } = await signedIn()
    const session = sessionIn(browser.jar)
    const [head, , signature] = session.access_token.split('.')
    const claims = Buffer.from(JSON.stringify({ sub: session.user.id, role: 'service_role', exp: 2 ** 32 }))
    const forged = { ...session, access_token: `${head}.${claims.toString('base64url')}.${signature}` }
    browser.jar.put(name, `base64-${Buffer.from(JSON.stringify(forged)).toString('base64url')}`)
    expect(await browser.see('/me')).toEqual({ error: 'AuthApiError' })
  })

  it('accepts a bearer token instead of cookies, and sets none', async () => {
    const person = await signIn(auth)
    const request = (authorization: string) => fetch(`${application.url}/me`, { headers: { authorization } })
    const response = await request(`Bearer ${await tokenOf(person)}`)
    expect(await response.json()).toMatchObject({ email: person.email })
    expect(response.headers.getSetCookie()).toEqual([])
    expect(await (await request('Bearer nothing')).json()).toEqual({ error: 'AuthApiError' })
  })
})

describe('a browser whose client keeps the session in document.cookie', () => {
  let jar: CookieJar
  let location: URL
  /** Makes this process look like a tab at `url`, and returns the client of its page. */
  function open(url: string): SupabaseClient {
    const document = {
      visibilityState: 'visible',
      get cookie() {
        return jar.header()
      },
      set cookie(line: string) {
        jar.set(line)
      },
    }
    location = new URL(url)
    const replaceState = (_: unknown, __: string, to: string): void => void (location.href = to)
    const window = {
      document,
      location,
      history: { state: null, replaceState },
      addEventListener() {},
      removeEventListener() {},
    }
    vi.stubGlobal('document', document)
    vi.stubGlobal('window', window)
    return createBrowserClient(auth.url, auth.anonKey, { isSingleton: false, realtime })
  }
  const opened: SupabaseClient[] = []
  const tab = (url: string): SupabaseClient => {
    const client = open(url)
    opened.push(client)
    return client
  }
  afterEach(async () => {
    for (const client of opened.splice(0)) await client.auth.dispose()
    vi.unstubAllGlobals()
  })

  it('exchanges the code in its URL after a link of a mail', async () => {
    jar = createCookieJar()
    const email = uniqueEmail()
    const first = tab('http://127.0.0.1/')
    const { error } = await first.auth.signInWithOtp({
      email,
      options: { emailRedirectTo: `${auth.url}/in` },
    })
    expect(error).toBeNull()
    expect(jar.names()).toContain(`${name}-code-verifier`)
    expect(partsIn(jar)).toEqual([])
    const back = await follow(email)
    expect(back.searchParams.has('code')).toBe(true)
    const second = tab(back.href)
    expect((await second.auth.initialize()).error).toBeNull()
    expect(location.search).toBe('')
    expect((await second.auth.getUser()).data.user?.email).toBe(email)
    expect(partsIn(jar)).toEqual([name])
    expect(sessionIn(jar).user.email).toBe(email)
    // An application's server can read what the browser stores, and vice versa.
    const page = await fetch(`${application.url}/me`, { headers: { cookie: jar.header() } })
    expect(await page.json()).toEqual({ email, claimed: email })
    expect((await second.auth.signOut()).error).toBeNull()
    expect(partsIn(jar)).toEqual([])
  })

  it('refreshes automatically until stopped', async () => {
    const { browser, email } = await signedIn()
    jar = browser.jar
    const old = age(jar)
    const client = tab('http://127.0.0.1/')
    await client.auth.stopAutoRefresh()
    const until = (wanted: string) =>
      new Promise<Session | null>((resolve) => {
        const { data } = client.auth.onAuthStateChange((event, session) => {
          if (event !== wanted) return
          data.subscription.unsubscribe()
          resolve(session)
        })
      })
    // Refreshed when opened, since it had expired; and again automatically before it expires.
    const renewed = await until('INITIAL_SESSION')
    expect(renewed?.refresh_token).not.toBe(old.refresh_token)
    const next = until('TOKEN_REFRESHED')
    age(jar)
    await client.auth.startAutoRefresh()
    const session = await next
    await client.auth.stopAutoRefresh()
    expect(session?.user.email).toBe(email)
    expect(sessionIn(jar).refresh_token).toBe(session?.refresh_token)
    expect((await client.auth.getSession()).data.session?.access_token).toBe(session?.access_token)
    expect(session?.refresh_token).not.toBe(renewed?.refresh_token)
    await client.auth.dispose()
  })
})
