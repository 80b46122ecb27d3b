import { AuthError, OAuthError } from './AuthError.ts'
import {
  CallerExceeded,
  PoolExhausted,
  PoolTimeout,
  PostgresUnavailable,
} from '../../postgres/connections/pool.ts'

/** The header in which clients request the newer error format, and in which the response confirms it. */
const versionHeader = 'X-Supabase-Api-Version'
const newestVersion = '2024-01-01'

/**
 * Whether the client that sent this version header expects `{code, message}` (otherwise `{code, error_code,
 * msg}`).
 */
function usesNewFormat(version: string | undefined): boolean {
  return version !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= newestVersion
}

/** SQLSTATEs that are caused by invalid input, such as U+0000 in a text. */
const inputErrorStates = new Set(['22001', '22003', '22007', '22008', '22021', '22P02', '22P05'])

/** Converts a thrown value into the error that the client receives; `unexpected` errors are to be logged. */
export function toAuthError(thrown: unknown): { error: AuthError; unexpected: boolean } {
  if (thrown instanceof AuthError) return { error: thrown, unexpected: thrown.status >= 500 }
  if (thrown instanceof CallerExceeded) {
    const message = 'Request rate limit reached'
    return {
      error: new AuthError(429, 'over_request_rate_limit', message, { retryAfter: 1, cause: thrown }),
      unexpected: false,
    }
  }
  if (
    thrown instanceof PoolExhausted ||
    thrown instanceof PoolTimeout ||
    thrown instanceof PostgresUnavailable
  ) {
    const message = 'The database is busy or starting. Try again in a moment.'
    return {
      error: new AuthError(503, 'unexpected_failure', message, { retryAfter: 1, cause: thrown }),
      unexpected: true,
    }
  }
  const state = (thrown as { code?: unknown } | null)?.code
  if (typeof state === 'string' && inputErrorStates.has(state)) {
    const message = 'A value contains characters or numbers that cannot be stored'
    return {
      error: new AuthError(400, 'validation_failed', message, { cause: thrown }),
      unexpected: false,
    }
  }
  const message = 'Unexpected failure, please check server logs for more information'
  return {
    error: new AuthError(500, 'unexpected_failure', message, { cause: thrown }),
    unexpected: true,
  }
}

/** The response to a failed request, in the format that the request's version header requests. */
export function renderError(error: AuthError, version: string | undefined): Response {
  const newFormat = usesNewFormat(version)
  const body = error instanceof OAuthError ? oauthErrorBody(error) : errorBody(error, newFormat)
  const headers = new Headers({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
  if (error.code) headers.set('x-sb-error-code', error.code)
  if (newFormat) headers.set(versionHeader, newestVersion)
  if (error.retryAfter !== null) headers.set('Retry-After', String(error.retryAfter))
  return new Response(JSON.stringify(body), { status: error.status, headers })
}

function oauthErrorBody(error: OAuthError): Record<string, unknown> {
  return { error: error.errorCode, error_description: error.message }
}

function errorBody(error: AuthError, newFormat: boolean): Record<string, unknown> {
  const code = error.code || (error.status === 500 ? 'unexpected_failure' : 'unknown')
  const weak = error.reasons ? { weak_password: { reasons: error.reasons } } : {}
  return newFormat
    ? { code, message: error.message, ...weak }
    : { code: error.status, error_code: code, msg: error.message, ...weak }
}
