import { createBrowserClient } from '@supabase/ssr'
import { createClient } from '@supabase/supabase-js'
import type { SupabaseClient } from '@supabase/supabase-js'
import type { Settings } from './settings.ts'
import { createSessionFetch } from './createSessionFetch.ts'
import heartbeatUrl from './heartbeat.worker.ts?worker&url'
import { reconnectAfterMs } from './reconnectAfterMs.ts'
import { cookieName, readCookies } from './sessionCookie.ts'
import { writeCookie } from './writeCookie.ts'

export type Client = SupabaseClient
export type { AuthChangeEvent, Session as AuthSession } from '@supabase/supabase-js'

/** Named here, since the library's own search for one is left out of the build. */
const BY_SOCKET = { transport: WebSocket }

/** The signed-in client: session in a cookie, PKCE, realtime whose heartbeat a worker keeps. */
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
    realtime: { ...BY_SOCKET, worker: true, workerUrl: heartbeatUrl, reconnectAfterMs },
  })
}

/**
 * A client that keeps no session and makes no challenge: mail that it requests is for someone else, in
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

/**
 * A client that shares the secrets (PKCE code verifiers) of `own`, and nothing else: the session that a code brings is
 * returned to the caller alone. Its storage key is another one, since clients of one key publish their sessions to
 * each other.
 */
export function createExchangingClient(settings: Settings, own: Client): Client {
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
    realtime: BY_SOCKET,
  })
}

/** The library always requests 400 days; a stolen laptop should not stay signed in for a year. */
function writeCookies(cookies: { name: string; value: string; options: { maxAge?: number } }[]): void {
  for (const { name, value, options } of cookies) writeCookie(name, value, options.maxAge)
}
