import type { OAuthServerContext } from './OAuthServerContext.ts'
import { AuthError, invalid } from '../../auth/http/AuthError.ts'
import { isUuid, type AuthRequest } from '../../auth/http/authenticate.ts'
import { withQuery } from '../../auth/http/redirectParameters.ts'
import type { Challenge } from '../../auth/rows/flowState.ts'
import { createAuthorization, type AuthorizationRequest } from './authorization.ts'
import { findOAuthClient } from './oauthClient.ts'
import { parseScopes, unsupportedScope } from './scopes.ts'
import { parseUrl } from '../../runtime/parseUrl.ts'

/** The scope if a client requests none. */
const defaultScope = 'email'

/**
 * GET /oauth/authorize: stores the request, and returns the URL to redirect to: the consent page, or the
 * client's redirect URI with an error (RFC 6749 §4.1.2.1).
 * @throws AuthError 400 if client or redirect URI are invalid
 */
export async function beginAuthorization(ctx: OAuthServerContext, c: AuthRequest): Promise<string> {
  const parameter = (name: string): string => c.req.query(name) ?? ''
  const redirectUri = await checkRedirectUri(ctx, parameter('client_id'), parameter('redirect_uri'))
  const state = parameter('state')
  const redirectWithError = (error: string, description: string): string =>
    withQuery(redirectUri, { error, error_description: description, ...(state ? { state } : {}) })
  const scope = parameter('scope') || defaultScope
  const challenge = { challenge: parameter('code_challenge'), method: parameter('code_challenge_method') }
  // On hosted Supabase the user consents first, and then signing fails.
  if (parseScopes(scope).includes('openid') && ctx.keys.signing.alg === 'HS256') {
    return redirectWithError('server_error', 'HS256 is not supported for ID token signing')
  }
  const invalidReason =
    (parameter('response_type') || 'code') === 'code'
      ? (invalidScopeReason(scope) ??
        invalidResourceReason(parameter('resource')) ??
        invalidChallengeReason(challenge))
      : 'only response_type=code is supported'
  if (invalidReason !== null) return redirectWithError('invalid_request', invalidReason)
  const id = await store(ctx, {
    clientId: parameter('client_id'),
    redirectUri,
    scope,
    state,
    resource: parameter('resource'),
    challenge: { ...challenge, method: challenge.method.toLowerCase() as Challenge['method'] },
    nonce: parameter('nonce'),
  })
  if (id === null) return redirectWithError('server_error', 'error creating authorization')
  const { authorizationPath: path } = ctx.oauthServer
  if (path === '') return redirectWithError('server_error', 'oauth authorization path not configured')
  const page = `${ctx.siteUrl()}${path.startsWith('/') ? '' : '/'}${path}`
  return `${page}?authorization_id=${id}`.replace(/[^\x21-\x7e]+/g, encodeURIComponent)
}

/** Returns the redirect URI if it is registered for this client. */
async function checkRedirectUri(ctx: OAuthServerContext, id: string, redirectUri: string): Promise<string> {
  if (id === '') throw invalid('client_id is required')
  if (redirectUri === '') throw invalid('redirect_uri is required')
  if (!isUuid(id)) throw new AuthError(400, 'oauth_client_not_found', 'invalid client_id format')
  const client = await findOAuthClient(ctx.pool, id)
  if (!client) throw new AuthError(400, 'oauth_client_not_found', 'invalid client_id')
  if (!client.redirectUris.includes(redirectUri)) {
    throw invalid('invalid redirect_uri')
  }
  return redirectUri
}

function invalidScopeReason(scope: string): string | null {
  const scopes = parseScopes(scope)
  if (scopes.length === 0) return 'scope parameter cannot be empty'
  const unknown = unsupportedScope(scopes)
  return unknown === null ? null : `unsupported scope: ${unknown}`
}

/** RFC 8707 §2. */
function invalidResourceReason(resource: string): string | null {
  if (resource === '') return null
  const scheme = /^[a-z][a-z0-9+.-]*:/i.test(resource)
  if (scheme && !parseUrl(resource)) return 'resource must be a valid URI'
  if (!scheme) return 'resource must be an absolute URI'
  const [rest = '', fragment = ''] = resource.split('#', 2)
  if (fragment !== '') return 'resource must not include a fragment component'
  return /\?./.test(rest) ? 'resource must not include a query component' : null
}

/** RFC 7636, which OAuth 2.1 requires of every client. */
function invalidChallengeReason({ challenge, method }: { challenge: string; method: string }): string | null {
  if (challenge === '' || method === '') {
    return 'PKCE flow requires both code_challenge and code_challenge_method'
  }
  if (!['s256', 'plain'].includes(method.toLowerCase())) {
    return "code_challenge_method must be 'S256' or 'plain'"
  }
  return challenge.length < 43 || challenge.length > 128
    ? 'code_challenge must be between 43 and 128 characters'
    : null
}

/** Null if a value is too long for the table, or contains unsupported characters. */
async function store(ctx: OAuthServerContext, request: AuthorizationRequest): Promise<string | null> {
  try {
    return await createAuthorization(ctx.pool, request)
  } catch (error) {
    const state = (error as { code?: unknown }).code
    if (typeof state === 'string' && /^2[23]/.test(state)) return null
    throw error
  }
}
