import type { OAuthServerContext } from './OAuthServerContext.ts'
import { supportedScopes } from './scopes.ts'

/** The server metadata: RFC 8414 and OpenID Connect Discovery 1.0 in one document, as on hosted Supabase. */
export function serverMetadata(ctx: OAuthServerContext): Record<string, unknown> {
  // On hosted Supabase the endpoints begin with the issuer, even if the service has another URL.
  const at = ctx.authUrl()
  const { enabled, dynamicRegistration } = ctx.oauthServer
  return {
    issuer: ctx.issuer(),
    authorization_endpoint: `${at}/oauth/authorize`,
    token_endpoint: `${at}/oauth/token`,
    jwks_uri: `${at}/.well-known/jwks.json`,
    userinfo_endpoint: `${at}/oauth/userinfo`,
    ...(enabled && dynamicRegistration ? { registration_endpoint: `${at}/oauth/clients/register` } : {}),
    scopes_supported: supportedScopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'ES256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    claims_supported: [
      'sub',
      'aud',
      'iss',
      'exp',
      'iat',
      'auth_time',
      'nonce',
      'email',
      'email_verified',
      'phone_number',
      'phone_number_verified',
      'name',
      'picture',
      'preferred_username',
      'updated_at',
    ],
    code_challenge_methods_supported: ['S256', 'plain'],
  }
}
