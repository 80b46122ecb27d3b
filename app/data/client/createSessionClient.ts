import { AuthClient, type GoTrueClient, type SupportedStorage } from '@supabase/auth-js'
import { PostgrestClient } from '@supabase/postgrest-js'
import { cleanJson } from '../../../wire/texts.ts'
import { cookieStorage } from './cookieStorage.ts'
import { createSessionFetch } from './createSessionFetch.ts'
import { cookieName } from './sessionCookie.ts'
import type { Settings } from './settings.ts'

export type { AuthError, Provider } from '@supabase/auth-js'
export type { PostgrestClient, PostgrestSingleResponse } from '@supabase/postgrest-js'

export interface Client {
  auth: GoTrueClient
  /**
   * The data API. It reads the token of the session just before it sends each request, whose texts are sent as PostgreSQL
   * can store them.
   */
  rest: PostgrestClient
  /** The token of the session, refreshed if it has expired, or the public key while nobody is signed in. */
  accessToken: () => Promise<string>
}

/**
 * Timeout (ms) of a request to the data API, after which it counts as a network failure. Without a timeout, a request without a
 * response would stop all later changes of its queue in the outbox.
 */
const REQUEST_TIMEOUT_MS = 30_000

/** The client of the signed-in user: the session is stored in a cookie, and signing in uses PKCE. */
export function createSessionClient(settings: Settings): Client {
  const { url, key } = settings
  const name = cookieName(settings)
  const sessionFetch = createSessionFetch(name)
  const auth = createAuthClient(settings, {
    storageKey: name,
    storage: cookieStorage,
    autoRefreshToken: true,
    fetch: sessionFetch,
  })
  const accessToken = async () => {
    const { data } = await auth.getSession()
    return data.session?.access_token ?? key
  }
  const rest = new PostgrestClient(`${url}/rest/v1`, {
    fetch: async (input, init) => {
      const headers = new Headers(init?.headers)
      headers.set('apikey', key)
      headers.set('authorization', `Bearer ${await accessToken()}`)
      const body = typeof init?.body === 'string' ? { body: cleanJson(init.body) } : {}
      const signal = init?.signal ?? AbortSignal.timeout(REQUEST_TIMEOUT_MS)
      return sessionFetch(input, { ...init, ...body, headers, signal })
    },
  })
  return { auth, rest, accessToken }
}

/**
 * An auth client that shares only the PKCE code verifiers of the session client: the session of a code is returned, not
 * stored. It has another storage key, since clients with the same key broadcast their sessions to each other.
 */
export function createCodeExchangeClient(settings: Settings): GoTrueClient {
  const storageKey = `${cookieName(settings)}-exchange`
  const verifierKey = (key: string): string | null =>
    key.endsWith('-code-verifier') ? key.replace(storageKey, cookieName(settings)) : null
  return createAuthClient(settings, {
    storageKey,
    autoRefreshToken: false,
    storage: {
      getItem: (key) => {
        const stored = verifierKey(key)
        return stored === null ? null : cookieStorage.getItem(stored)
      },
      setItem: (key, value) => {
        const stored = verifierKey(key)
        if (stored !== null) cookieStorage.setItem(stored, value)
      },
      removeItem: (key) => {
        const stored = verifierKey(key)
        if (stored !== null) cookieStorage.removeItem(stored)
      },
    },
  })
}

interface AuthOptions {
  storageKey: string
  storage: SupportedStorage
  autoRefreshToken: boolean
  fetch?: typeof fetch
}

function createAuthClient({ url, key }: Settings, options: AuthOptions): GoTrueClient {
  return new AuthClient({
    url: `${url}/auth/v1`,
    // In this spelling, the library replaces the key by the token of the session.
    headers: { apikey: key, Authorization: `Bearer ${key}` },
    flowType: 'pkce',
    // The callback page exchanges the code itself, so that it can show an error.
    detectSessionInUrl: false,
    persistSession: true,
    ...options,
  })
}
