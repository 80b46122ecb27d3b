import { getClient } from './getClient.ts'
import { refreshAccessToken } from './callCommand.ts'
import { loadSettings } from './settings.ts'
import { success, createFailure, type Outcome } from '../failures/failures.ts'
import { authFailure } from './authFailure.ts'

interface AuthRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  body?: object
}

/** Timeout (ms) of a request; then it has failed by the network. */
const AUTH_TIMEOUT_MS = 30_000

/**
 * Requests `/auth/v1/<path>` as the signed-in user, or with the key alone while signed out. Unlike the methods of the client
 * library, it refreshes a session that the server refuses, and signs out if that session has ended. Never throws.
 */
export async function requestAuth<T>(path: string, request: AuthRequest = {}): Promise<Outcome<T>> {
  try {
    const response = await send(path, request)
    if (response.ok) return success((await response.json().catch(() => undefined)) as T)
    const error = (await response.json().catch(() => ({}))) as { code?: string }
    if (response.status === 401 || error.code === 'session_not_found' || error.code === 'bad_jwt') {
      if (error.code !== 'insufficient_aal' && !(await refreshAccessToken()))
        return { ok: false, failure: createFailure('session_ended') }
    }
    return { ok: false, failure: authFailure(error, response.status) }
  } catch (error) {
    return { ok: false, failure: authFailure(error) }
  }
}

async function send(path: string, { method = 'GET', body }: AuthRequest): Promise<Response> {
  const [client, { url, key }] = await Promise.all([getClient(), loadSettings()])
  const { data } = await client.auth.getSession()
  return fetch(`${url}/auth/v1/${path}`, {
    method,
    cache: 'no-store',
    headers: {
      apikey: key,
      authorization: `Bearer ${data.session?.access_token ?? key}`,
      // Requests errors as `{code, message}`.
      'x-supabase-api-version': '2024-01-01',
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    signal: AbortSignal.timeout(AUTH_TIMEOUT_MS),
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
}

/**
 * Makes a session that was requested without the library the session of this browser. The library refreshes it at once,
 * stores it in the cookie and notifies the other tabs.
 */
export async function adoptSession(session: { refresh_token: string }): Promise<Outcome> {
  const client = await getClient()
  const { error } = await client.auth.refreshSession({ refresh_token: session.refresh_token })
  return error ? { ok: false, failure: authFailure(error) } : success(undefined)
}

/** Refreshes the session, so that it contains changes of the account. */
export async function refreshSession(): Promise<Outcome> {
  const client = await getClient()
  const { error } = await client.auth.refreshSession()
  return error ? { ok: false, failure: authFailure(error) } : success(undefined)
}
