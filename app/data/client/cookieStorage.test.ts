// @vitest-environment happy-dom
import { createBrowserClient, createServerClient } from '@supabase/ssr'
import type { Session } from '@supabase/supabase-js'
import { afterEach, expect, it } from 'vitest'
import { cookieStorage } from './cookieStorage.ts'
import { readCookies } from './sessionCookie.ts'

const name = 'sb-here-auth-token'

/** A session of about this many characters, which has not expired. */
function sessionOf(length: number): Session {
  return {
    access_token: 'a'.repeat(length),
    refresh_token: 'r',
    token_type: 'bearer',
    expires_in: 3600,
    expires_at: Math.floor(Date.now() / 1000) + 3600,
    user: {
      id: 'a-person',
      email: 'änn@harbour.example',
      aud: 'authenticated',
      created_at: '2026-01-01T00:00:00Z',
      app_metadata: {},
      user_metadata: {},
    },
  }
}

/** Happy DOM removes a cookie one millisecond after its `Max-Age` of 0. */
const cookieNames = () =>
  readCookies()
    .map((cookie) => cookie.name)
    .toSorted()

afterEach(() => {
  for (const cookie of cookieNames()) document.cookie = `${cookie}=; Max-Age=0; Path=/`
})

it.each([100, 8_000])(
  '@supabase/ssr reads a session of %i characters that the app has stored',
  async (length) => {
    const session = sessionOf(length)
    cookieStorage.setItem(name, JSON.stringify(session))
    const server = createServerClient('http://localhost', 'sb_publishable_x', {
      cookieOptions: { name },
      cookies: { getAll: () => readCookies(), setAll: () => {} },
    })
    const { data } = await server.auth.getSession()
    expect(data.session).toMatchObject({ access_token: session.access_token, refresh_token: 'r' })
    expect(JSON.parse(JSON.stringify(data.session))).toEqual(session)
  },
)

it.each([100, 8_000])(
  'the app reads a session of %i characters that @supabase/ssr has stored',
  async (length) => {
    const session = sessionOf(length)
    const browser = createBrowserClient('http://localhost', 'sb_publishable_x', {
      isSingleton: false,
      cookieOptions: { name },
      auth: { autoRefreshToken: false },
    })
    await browser.auth.initialize()
    await browser.auth['storage'].setItem(name, JSON.stringify(session))
    expect(JSON.parse((await cookieStorage.getItem(name)) ?? 'null')).toEqual(session)
  },
)

it('a shorter session leaves no chunks of a longer one', async () => {
  cookieStorage.setItem(name, JSON.stringify(sessionOf(8_000)))
  await expect.poll(cookieNames).toEqual([`${name}.0`, `${name}.1`, `${name}.2`, `${name}.3`])
  cookieStorage.setItem(name, JSON.stringify(sessionOf(3_500)))
  await expect.poll(cookieNames).toEqual([`${name}.0`, `${name}.1`])
  cookieStorage.setItem(name, JSON.stringify(sessionOf(10)))
  await expect.poll(cookieNames).toEqual([name])
})

it('removes all chunks of one key, and no cookie of another', async () => {
  cookieStorage.setItem(name, JSON.stringify(sessionOf(8_000)))
  cookieStorage.setItem(`${name}-code-verifier`, '"verifier"')
  cookieStorage.removeItem(name)
  await expect.poll(cookieNames).toEqual([`${name}-code-verifier`])
  expect(await cookieStorage.getItem(name)).toBeNull()
  expect(await cookieStorage.getItem(`${name}-code-verifier`)).toBe('"verifier"')
})

it('treats the chunks of two sessions together as absent', async () => {
  cookieStorage.setItem(name, JSON.stringify(sessionOf(8_000)))
  document.cookie = `${name}.1=; Max-Age=0; Path=/`
  await expect.poll(() => cookieStorage.getItem(name)).toBeNull()
})
