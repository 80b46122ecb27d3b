import type { Claims } from '../../../wire/claims.ts'
import type { AuthContext } from '../../auth/AuthContext.ts'
import { toDate, type UserRow } from '../../auth/rows/user.ts'
import { signToken } from '../../auth/tokens/signToken.ts'
import type { Authorization } from './authorization.ts'
import { profileClaims } from './userInfo.ts'
import { parseScopes } from './scopes.ts'

/** The lifetime of an ID token in seconds, independent of that of access tokens. */
const lifetimeSeconds = 3_600

/**
 * An ID token: identifies to the client who signed in (OpenID Connect Core §2), as far as its scopes allow.
 *
 * It has no `role`, and its audience is the client, so that no service accepts it as the user's access token.
 */
export function issueIdToken(
  ctx: Pick<AuthContext, 'issuer' | 'keys'>,
  o: { user: UserRow; clientId: string; authorization: Authorization },
): string {
  const { user, clientId, authorization } = o
  const scopes = parseScopes(authorization.scope)
  const now = Math.floor(Date.now() / 1000)
  const signedIn = user.last_sign_in_at
  const claims: Claims = {
    iss: ctx.issuer(),
    sub: user.id,
    aud: clientId,
    iat: now,
    exp: now + lifetimeSeconds,
    auth_time: signedIn === null ? now : Math.floor(toDate(signedIn).getTime() / 1000),
    client_id: clientId,
    ...(authorization.nonce ? { nonce: authorization.nonce } : {}),
    email_verified: scopes.includes('email') && user.email_confirmed_at !== null,
    phone_number_verified: scopes.includes('phone') && user.phone_confirmed_at !== null,
    ...(scopes.includes('email') && user.email ? { email: user.email } : {}),
    ...(scopes.includes('phone') && user.phone ? { phone_number: user.phone } : {}),
    ...(scopes.includes('profile') ? profileClaims(user) : {}),
  }
  return signToken(ctx.keys, claims)
}
