const metadataPath = '/.well-known/oauth-authorization-server'

/**
 * The path of a service that a path of the site stands for; null where it stands for none. Clients look for what
 * the OAuth server can do by its issuer, and RFC 8414 §3.1 puts the known part before the issuer's own path; hosted
 * answers without that one as well.
 */
export function discoveryPath(path: string): string | null {
  return path === metadataPath || path === `${metadataPath}/auth/v1` ? `/auth/v1${metadataPath}` : null
}
