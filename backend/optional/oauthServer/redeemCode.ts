import type { Transaction } from '../../auth/Transaction.ts'
import type { SignInContext } from '../../auth/AuthContext.ts'
import { isUuid } from '../../auth/http/authenticate.ts'
import { OAuthError } from '../../auth/http/AuthError.ts'
import { writeAudit } from '../../auth/audit.ts'
import { findUserById } from '../../auth/rows/findUser.ts'
import { matchesChallenge } from '../../auth/rows/flowState.ts'
import { isBanned, type UserRow } from '../../auth/rows/user.ts'
import { issueSession, type ClientInfo, type SessionResponse } from '../../auth/sessions/sessions.ts'
import { transact } from '../../auth/transact.ts'
import { lockAuthorizationOfCode, markRedeemed, type Authorization } from './authorization.ts'
import type { TokenRequest } from './authenticateClient.ts'
import { issueIdToken } from './issueIdToken.ts'
import type { OAuthClient } from './oauthClient.ts'
import { parseScopes } from './scopes.ts'

const invalidGrant = (message: string): OAuthError => new OAuthError('invalid_grant', message)

/**
 * `grant_type=authorization_code`: exchanges a code and its verifier for a session of the client (RFC 6749
 * §4.1.3, RFC 7636). Reuse of a code ends the session that it was exchanged for.
 * @throws OAuthError
 */
export async function redeemCode(
  ctx: SignInContext,
  client: OAuthClient,
  request: TokenRequest,
  clientInfo: ClientInfo,
): Promise<SessionResponse & { id_token?: string }> {
  if (request.code === '') {
    throw new OAuthError('invalid_request', 'code is required for authorization_code grant')
  }
  if (!isUuid(request.code)) throw invalidGrant('Invalid authorization code')
  const outcome = await transact(ctx, async (tx) => {
    const authorization = await lockAuthorizationOfCode(tx, request.code)
    if (!authorization) throw invalidGrant('Invalid authorization code')
    if (authorization.status !== 'approved') {
      if (authorization.client_id === client.id) await endGrantedSession(tx, authorization, clientInfo)
      // Returned and thrown after the commit: a rollback would restore the session.
      return invalidGrant('Invalid authorization code')
    }
    const user = await checkAuthorization(tx, authorization, client, request)
    await writeAudit(tx, user, 'login', clientInfo.ip, {
      provider_type: 'oauth_provider_authorization_code',
      client_id: client.id,
    })
    const session = await issueSession(ctx, tx, {
      user,
      method: 'oauth_provider/authorization_code',
      clientInfo,
      oauth: { sessionId: authorization.id, client: { id: client.id, scopes: authorization.scope } },
    })
    await markRedeemed(tx, authorization.authorization_id)
    if (!parseScopes(authorization.scope).includes('openid')) return session
    return { ...session, id_token: issueIdToken(ctx, { user, clientId: client.id, authorization }) }
  })
  if (outcome instanceof OAuthError) throw outcome
  return outcome
}

/** Checks that the code is valid for this client; returns its user. */
async function checkAuthorization(
  tx: Transaction,
  authorization: Authorization,
  client: OAuthClient,
  request: TokenRequest,
): Promise<UserRow> {
  if (authorization.expired) throw invalidGrant('Authorization code has expired')
  if (authorization.client_id !== client.id)
    throw invalidGrant('Authorization code was not issued for this client')
  if (request.resource !== '' && request.resource !== (authorization.resource ?? '')) {
    throw invalidGrant('Authorization code resource does not match the resource parameter')
  }
  if (request.redirect_uri !== '' && request.redirect_uri !== authorization.redirect_uri) {
    throw invalidGrant('Invalid redirect_uri')
  }
  checkVerifier(authorization, request.code_verifier)
  if (authorization.user_id === null) throw invalidGrant('Authorization code has no associated user')
  const user = await findUserById(tx, authorization.user_id)
  if (!user) throw invalidGrant('User not found for authorization code')
  if (isBanned(user)) throw new OAuthError('access_denied', 'User is banned')
  return user
}

function checkVerifier(authorization: Authorization, verifier: string): void {
  const challenge = authorization.code_challenge ?? ''
  if (challenge === '') return
  const fail = (reason: string): OAuthError => invalidGrant(`PKCE verification failed: ${reason}`)
  if (verifier === '') throw fail('code_verifier is required when PKCE challenge is present')
  if (!matchesChallenge(challenge, authorization.code_challenge_method, verifier)) {
    throw fail('code challenge does not match previously saved code verifier')
  }
}

/** Ends the session that a code was exchanged for: it has the id of the code's row. */
async function endGrantedSession(
  tx: Transaction,
  authorization: Authorization,
  clientInfo: ClientInfo,
): Promise<void> {
  const { rowCount } = await tx.query(
    'delete from auth.sessions where id = $1 and user_id = $2 and oauth_client_id = $3',
    [authorization.id, authorization.user_id, authorization.client_id],
  )
  const user =
    rowCount === 1 && authorization.user_id !== null ? await findUserById(tx, authorization.user_id) : null
  if (!user) return
  await writeAudit(tx, user, 'token_revoked', clientInfo.ip, {
    oauth_client_id: authorization.client_id,
    action: 'authorization_code_reused',
  })
}
