/** The scopes that a client can request (OpenID Connect Core §5.4, §11). */
export const supportedScopes = ['openid', 'profile', 'email', 'phone', 'offline_access'] as const
type Scope = (typeof supportedScopes)[number]

/** The distinct scopes of a space-separated list. */
export function parseScopes(list: string): string[] {
  return [...new Set(list.split(' ').map((scope) => scope.trim()))].filter((scope) => scope !== '')
}

/** The first unsupported scope; null if all are supported. */
export function unsupportedScope(scopes: string[]): string | null {
  return scopes.find((scope) => !supportedScopes.includes(scope as Scope)) ?? null
}
