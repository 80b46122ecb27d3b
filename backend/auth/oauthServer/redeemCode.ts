import type pg from 'pg'
import type { AuthContext } from '../AuthContext.ts'
import { isUuid } from '../http/authenticate.ts'
import { OAuthError } from '../http/OAuthError.ts'
import { writeAudit } from '../audit.ts'
import { findUserById } from '../rows/findUser.ts'
import { matchesChallenge } from '../rows/flowState.ts'
import { isBanned, type UserRow } from '../rows/user.ts'
import { issueSession, type ClientInfo, type SessionResponse } from '../sessions/sessions.ts'
import { transact } from '../transact.ts'
import { lockAuthorizationOfCode, spendAuthorization, type Authorization } from './authorization.ts'
import type { TokenRequest } from './authenticateClient.ts'
import { issueIdToken } from './issueIdToken.ts'
import type { OAuthClient } from './oauthClient.ts'
import { parseScopes } from './scopes.ts'

const refuse = (message: string): OAuthError => new OAuthError('invalid_grant', message)

/**
 * `grant_type=authorization_code`: exchanges a code and its verifier for a session of the client (RFC 6749
 * §4.1.3, RFC 7636). Reuse of a code ends the session that it was exchanged for.
 * @throws OAuthError
 */
export async function redeemCode(
  ctx: AuthContext,
  client: OAuthClient,
  request: TokenRequest,
  origin: ClientInfo,
): Promise<SessionResponse & { id_token?: string }> {
  if (request.code === '') {
    throw new OAuthError('invalid_request', 'code is required for authorization_code grant')
  }
  if (!isUuid(request.code)) throw refuse('Invalid authorization code')
  const outcome = await transact(ctx, async (db) => {
    const found = await lockAuthorizationOfCode(db, request.code)
    if (!found) throw refuse('Invalid authorization code')
    if (found.status !== 'approved') {
      if (found.client_id === client.id) await endGrant(db, found, origin)
      // Returned and thrown after the commit: a rollback would restore the session.
      return refuse('Invalid authorization code')
    }
    const user = await check(db, found, client, request)
    await writeAudit(db, user, 'login', origin.ip, {
      provider_type: 'oauth_provider_authorization_code',
      client_id: client.id,
    })
    const answer = await issueSession(ctx, db, {
      user,
      method: 'oauth_provider/authorization_code',
      clientInfo: origin,
      oauth: { sessionId: found.id, client: { id: client.id, scopes: found.scope } },
    })
    await spendAuthorization(db, found.authorization_id)
    if (!parseScopes(found.scope).includes('openid')) return answer
    return { ...answer, id_token: issueIdToken(ctx, { user, clientId: client.id, authorization: found }) }
  })
  if (outcome instanceof OAuthError) throw outcome
  return outcome
}

/** Checks that the code is valid for this client; returns its user. */
async function check(
  db: pg.Client,
  found: Authorization,
  client: OAuthClient,
  request: TokenRequest,
): Promise<UserRow> {
  if (found.expired) throw refuse('Authorization code has expired')
  if (found.client_id !== client.id) throw refuse('Authorization code was not issued for this client')
  if (request.resource !== '' && request.resource !== (found.resource ?? '')) {
    throw refuse('Authorization code resource does not match the resource parameter')
  }
  if (request.redirect_uri !== '' && request.redirect_uri !== found.redirect_uri) {
    throw refuse('Invalid redirect_uri')
  }
  checkVerifier(found, request.code_verifier)
  if (found.user_id === null) throw refuse('Authorization code has no associated user')
  const user = await findUserById(db, found.user_id)
  if (!user) throw refuse('User not found for authorization code')
  if (isBanned(user)) throw new OAuthError('access_denied', 'User is banned')
  return user
}

function checkVerifier(found: Authorization, verifier: string): void {
  const challenge = found.code_challenge ?? ''
  if (challenge === '') return
  const fail = (reason: string): OAuthError => refuse(`PKCE verification failed: ${reason}`)
  if (verifier === '') throw fail('code_verifier is required when PKCE challenge is present')
  if (!matchesChallenge(challenge, found.code_challenge_method, verifier)) {
    throw fail('code challenge does not match previously saved code verifier')
  }
}

/** Ends the session that a code was exchanged for: it has the id of the code's row. */
async function endGrant(db: pg.Client, found: Authorization, origin: ClientInfo): Promise<void> {
  const { rowCount } = await db.query(
    'delete from auth.sessions where id = $1 and user_id = $2 and oauth_client_id = $3',
    [found.id, found.user_id, found.client_id],
  )
  const user = rowCount === 1 && found.user_id !== null ? await findUserById(db, found.user_id) : null
  if (!user) return
  await writeAudit(db, user, 'token_revoked', origin.ip, {
    oauth_client_id: found.client_id,
    action: 'authorization_code_reused',
  })
}
