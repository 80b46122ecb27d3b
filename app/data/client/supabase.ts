import { createBrowserClient } from '@supabase/ssr'
import { createClient } from '@supabase/supabase-js'
import type { SupabaseClient } from '@supabase/supabase-js'
import type { Settings } from './settings.ts'
import { createSessionFetch } from './createSessionFetch.ts'
import heartbeatUrl from './heartbeat.worker.ts?worker&url'
import { reconnectAfterMs } from './reconnectAfterMs.ts'
import { cookieName, readCookies } from './sessionCookie.ts'

export type Client = SupabaseClient
export type { AuthChangeEvent, PostgrestSingleResponse, Session as AuthSession } from '@supabase/supabase-js'

/** Set here, since the library's detection is left out of the build. */
const webSocketTransport = { transport: WebSocket }

/** The client of the signed-in user: session in a cookie, PKCE, and a worker that times realtime heartbeats. */
export function createSessionClient(settings: Settings): Client {
  const name = cookieName(settings)
  return createBrowserClient(settings.url, settings.key, {
    isSingleton: false,
    cookieOptions: {
      name,
      path: '/',
      sameSite: 'lax',
      secure: location.protocol === 'https:',
    },
    cookies: { getAll: readCookies, setAll: writeCookies },
    auth: {
      flowType: 'pkce',
      // The callback page exchanges the code itself, so that it can show an error.
      detectSessionInUrl: false,
      autoRefreshToken: true,
    },
    global: { fetch: createSessionFetch(name) },
    realtime: { ...webSocketTransport, worker: true, workerUrl: heartbeatUrl, reconnectAfterMs },
  })
}

/**
 * A client that shares only the PKCE code verifiers of `own`: the session of a code is returned, not stored. It has
 * another storage key, since clients with the same key broadcast their sessions to each other.
 */
export function createCodeExchangeClient(settings: Settings, own: Client): Client {
  const storage = own.auth['storage']
  const storageKey = `${cookieName(settings)}-exchange`
  const secretOf = (key: string) =>
    key.endsWith('-code-verifier') ? key.replace(storageKey, cookieName(settings)) : null
  return createClient(settings.url, settings.key, {
    auth: {
      flowType: 'pkce',
      detectSessionInUrl: false,
      autoRefreshToken: false,
      storageKey,
      storage: {
        getItem: (key) => {
          const secret = secretOf(key)
          return secret === null ? null : storage.getItem(secret)
        },
        setItem: (key, value) => {
          const secret = secretOf(key)
          if (secret !== null) return storage.setItem(secret, value)
        },
        removeItem: (key) => {
          const secret = secretOf(key)
          if (secret !== null) return storage.removeItem(secret)
        },
      },
    },
    realtime: webSocketTransport,
  })
}

/** Maximum age of the session's cookie, in seconds. The library always uses 400 days: a stolen laptop stays signed in. */
const MAX_COOKIE_AGE = 30 * 24 * 60 * 60

/** Sets cookies of this page; removes those with a `maxAge` of 0. */
function writeCookies(cookies: { name: string; value: string; options: { maxAge?: number } }[]): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  for (const { name, value, options } of cookies) {
    const age = Math.min(options.maxAge ?? MAX_COOKIE_AGE, MAX_COOKIE_AGE)
    // oxlint-disable-next-line unicorn/no-document-cookie -- the Cookie Store API is missing in Firefox and Safari
    document.cookie = `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${age}; SameSite=Lax${secure}`
  }
}
