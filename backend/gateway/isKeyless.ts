/**
 * Paths that tell whether a service runs, are links in mails, redirects of other sites, the addresses of pictures in a page, or what clients of
 * the OAuth server ask, who know its address and no key.
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

/** S3 clients sign their requests; they are told, in their own form, that there is nothing for them here. */
const signedByS3 = /^\/storage\/v1\/s3(\/|$)/

/** Its documented clients send a token alone, or a signature; without either one asks as `anon`. */
const resumableUpload = /^\/storage\/v1\/upload\/resumable(\/|$)/

/**
 * Whether a path is open to requests without an API key. Links to objects carry a token of their own; to
 * make one is a POST, and that needs to be said who asks: by a key or, as upstream's gateway has it for storage
 * alone, by an access token without one.
 * @param hasToken whether the request has a bearer that is no key
 */
export function isKeyless(method: string, path: string, hasToken = false): boolean {
  if (paths.has(path)) return true
  if (hasToken && path.startsWith('/storage/v1/')) return true
  if (resumableUpload.test(path) || signedByS3.test(path)) return true
  if (method === 'POST') return false
  return path.startsWith('/storage/v1/') && prefixes.some((prefix) => path.startsWith(prefix))
}
