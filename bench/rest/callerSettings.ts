import type { Claims } from '../../wire/claims.ts'

/** The settings of `/rest/v1` in the transaction of such a request, for the raw transaction. Role is set last. */
export function callerSettings(o: {
  claims: Claims
  method: string
  /** With the service's prefix and the query. */
  path: string
  headers: Record<string, string>
}): [name: string, value: string][] {
  const headers = Object.entries(o.headers).map(([name, value]) => [name.toLowerCase(), value])
  return [
    ['request.jwt.claims', JSON.stringify(o.claims)],
    ...(o.method === 'GET' ? [['transaction_read_only', 'on'] as [string, string]] : []),
    ['statement_timeout', '8s'],
    ['search_path', '"public", "extensions"'],
    ['request.method', o.method],
    ['request.path', o.path.replace(/^\/rest\/v1|\?.*/g, '')],
    ['request.headers', JSON.stringify(Object.fromEntries(headers))],
    ['request.cookies', '{}'],
    ['role', 'authenticated'],
  ]
}
