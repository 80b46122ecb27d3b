import type { AuthError } from './AuthError.ts'

/** The error codes of RFC 6749 §4.1.2.1 for the statuses that have one. */
export const oauthErrors: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  500: 'server_error',
  503: 'temporarily_unavailable',
}

/** The parameters by which a redirect reports an error. */
export function describeError(error: AuthError): Record<string, string> {
  const name = oauthErrors[error.status]
  return { ...(name ? { error: name } : {}), error_code: error.code, error_description: error.message }
}

/** Adds parameters to the query of a URL. */
export function withQuery(url: string, values: Record<string, string>): string {
  const target = new URL(url)
  for (const [name, value] of Object.entries(values)) target.searchParams.set(name, value)
  return target.href
}

/** Adds parameters to the fragment of a URL. `sb` marks the redirect as one of Supabase Auth. */
export function withFragment(url: string, values: Record<string, string>): string {
  const target = new URL(url)
  const sorted = Object.entries({ ...values, sb: '' }).sort(([a], [b]) => (a < b ? -1 : 1))
  target.hash = new URLSearchParams(sorted).toString()
  return target.href
}
