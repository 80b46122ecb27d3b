/** What a client can ask for (OpenID Connect Core §5.4, §11). */
export const supportedScopes = ['openid', 'profile', 'email', 'phone', 'offline_access'] as const
type Scope = (typeof supportedScopes)[number]

/** The scopes of a list with spaces between, each once. */
export function parseScopes(list: string): string[] {
  return [...new Set(list.split(' ').map((scope) => scope.trim()))].filter((scope) => scope !== '')
}

/** The first of these that nobody can be granted; null where each can. */
export function unsupportedScope(scopes: string[]): string | null {
  return scopes.find((scope) => !supportedScopes.includes(scope as Scope)) ?? null
}
