const metadataPath = '/.well-known/oauth-authorization-server'

/**
 * The service path of an OAuth metadata path at the root of the site; null for other paths. Clients derive it from the
 * issuer: RFC 8414 §3.1 inserts the well-known part before the issuer's path. The hosted service also serves it
 * without that path.
 */
export function discoveryPath(path: string): string | null {
  return path === metadataPath || path === `${metadataPath}/auth/v1` ? `/auth/v1${metadataPath}` : null
}
