import { createBrowserClient } from '@supabase/ssr'
import { createClient } from '@supabase/supabase-js'
import type { SupabaseClient } from '@supabase/supabase-js'
import type { Settings } from './connection.ts'
import { fetchCarefully } from './fetchCarefully.ts'
import heartbeatUrl from './heartbeat.worker.ts?worker&url'
import { reconnectAfterMs } from './reconnectAfterMs.ts'
import { cookieName, readCookies } from './sessionCookie.ts'

export type Client = SupabaseClient
export type { AuthChangeEvent, Session as AuthSession } from '@supabase/supabase-js'

/** Seconds that the session's cookie lives: a month at most. */
const COOKIE_AGE = 30 * 24 * 60 * 60

/** Named here, since the library's own search for one is left out of the build. */
const BY_SOCKET = { transport: WebSocket }

/** The signed-in client: session in a cookie, PKCE, realtime whose heartbeat a worker keeps. */
export function createSessionClient(settings: Settings): Client {
  const name = cookieName(settings)
  return createBrowserClient(settings.url, settings.key, {
    isSingleton: false,
    cookieOptions: {
      name,
      maxAge: COOKIE_AGE,
      path: '/',
      sameSite: 'lax',
      secure: location.protocol === 'https:',
    },
    cookies: { getAll: readCookies, setAll: writeCookies },
    auth: {
      flowType: 'pkce',
      // The page for callbacks exchanges the code itself, so that a failure has a place to be said.
      detectSessionInUrl: false,
      autoRefreshToken: true,
    },
    global: { fetch: fetchCarefully(name) },
    realtime: { ...BY_SOCKET, worker: true, workerUrl: heartbeatUrl, reconnectAfterMs },
  })
}

/**
 * A client that keeps no session and makes no challenge: mail that it asks for is for someone else, in
 * whose browser no verifier of ours would be.
 */
export function createInvitingClient(settings: Settings): Client {
  return createClient(settings.url, settings.key, {
    auth: {
      persistSession: false,
      autoRefreshToken: false,
      detectSessionInUrl: false,
      flowType: 'implicit',
      storageKey: `${cookieName(settings)}-inviting`,
    },
    realtime: BY_SOCKET,
  })
}

interface CookieToSet {
  name: string
  value: string
  options: { maxAge?: number; path?: string; sameSite?: unknown; secure?: boolean }
}

/** The library asks for 400 days whatever it is told; a stolen laptop should not stay signed in for a year. */
function writeCookies(cookies: CookieToSet[]): void {
  for (const { name, value, options } of cookies) {
    const age = Math.min(options.maxAge ?? COOKIE_AGE, COOKIE_AGE)
    const secure = location.protocol === 'https:' ? '; Secure' : ''
    // oxlint-disable-next-line unicorn/no-document-cookie -- the Cookie Store API is missing in Firefox and Safari
    document.cookie = `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${age}; SameSite=Lax${secure}`
  }
}
