import type { ErrorResponse } from './responses.ts'

/**
 * Health checks, links in mails, redirects of other sites, images in pages, and endpoints for clients of the OAuth server,
 * which have no key.
 */
const paths = new Set([
  '/auth/v1/verify',
  '/auth/v1/callback',
  '/auth/v1/authorize',
  '/auth/v1/.well-known/jwks.json',
  '/auth/v1/.well-known/oauth-authorization-server',
  '/auth/v1/.well-known/openid-configuration',
  '/auth/v1/oauth/authorize',
  '/auth/v1/oauth/clients/register',
  '/auth/v1/oauth/token',
  '/auth/v1/oauth/userinfo',
  '/auth/v1/health',
  '/storage/v1/status',
  '/storage/v1/version',
])

const prefixes = [
  '/storage/v1/object/public/',
  '/storage/v1/object/info/public/',
  '/storage/v1/object/sign/',
  '/storage/v1/object/upload/sign/',
  '/storage/v1/render/image/public/',
  '/storage/v1/render/image/sign/',
]

/** S3 clients sign their requests; they get an error in the format of S3. */
const signedByS3 = /^\/storage\/v1\/s3(\/|$)/

/** Its documented clients send only a token or a signature; without either the role is `anon`. */
const resumableUpload = /^\/storage\/v1\/upload\/resumable(\/|$)/

/**
 * Whether a path accepts requests without an API key. Links to objects contain a token; creating one is a POST, which
 * requires a key or, as in Supabase's gateway for storage only, an access token.
 * @param hasToken whether the request has a bearer token that is not a key
 */
export function isKeyless(method: string, path: string, hasToken = false): boolean {
  if (paths.has(path)) return true
  if (hasToken && path.startsWith('/storage/v1/')) return true
  if (resumableUpload.test(path) || signedByS3.test(path)) return true
  if (method === 'POST') return false
  return path.startsWith('/storage/v1/') && prefixes.some((prefix) => path.startsWith(prefix))
}

const metadataPath = '/.well-known/oauth-authorization-server'

/**
 * The service path of an OAuth metadata path at the root of the site; null for other paths. Clients derive it from the
 * issuer: RFC 8414 §3.1 inserts the well-known part before the issuer's path. The hosted service also serves it
 * without that path.
 */
export function discoveryPath(path: string): string | null {
  return path === metadataPath || path === `${metadataPath}/auth/v1` ? `/auth/v1${metadataPath}` : null
}

/** The hosted service's response to a request for the OpenAPI description without a secret key. */
export const schemaForbidden: ErrorResponse = {
  status: 401,
  body: {
    message: 'Access to schema is forbidden',
    hint: 'Accessing the schema via the Data API is only allowed using a secret API key.',
  },
}

/** Whether a path is the root of the data API, which lists all tables and functions. */
export function isSchemaRoot(path: string): boolean {
  return /^\/rest\/v1\/*$/.test(path)
}
