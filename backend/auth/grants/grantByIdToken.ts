import { createHash } from 'node:crypto'
import type { JWTPayload } from 'jose'
import { transactAccount } from '../accounts/databaseErrors.ts'
import type { AuthContext, CallerContext } from '../AuthContext.ts'
import { AuthError, OAuthError } from '../http/AuthError.ts'
import {
  type AuthRequest,
  readClientInfo,
  readRedirectUrl,
  requireFirstPartyUser,
  requireSecondFactor,
} from '../http/authenticate.ts'
import { readBody } from '../http/readBody.ts'
import { isSameToken } from '../../runtime/isSameToken.ts'
import { linkIdentity } from '../providers/linking/linkIdentity.ts'
import { findOrCreateUser, type ProviderSignIn } from '../providers/linking/findOrCreateUser.ts'
import { chooseIssuer, type ChosenIssuer } from '../providers/oidc/chooseIssuer.ts'
import { readIdToken } from '../providers/oidc/readIdToken.ts'
import { usableEmails } from '../providers/identityData.ts'
import { issueSession, type SessionResponse } from '../sessions/sessions.ts'
import { OutboundError } from '../../runtime/outbound/sendOutbound.ts'

/** `grant_type=id_token`: exchanges an ID token that a provider issued to one of our applications. */
export async function grantByIdToken(ctx: AuthContext, c: AuthRequest): Promise<SessionResponse> {
  const body = await readBody(c, {
    id_token: 'string',
    access_token: 'string',
    nonce: 'string',
    provider: 'string',
    client_id: 'string',
    issuer: 'string',
    link_identity: 'boolean',
  })
  const { id_token: idToken = '', access_token: accessToken = '', provider = '', issuer = '' } = body
  const clientId = body.client_id ?? ''
  if (idToken === '') throw invalidRequest('id_token required')
  if (provider === '' && (clientId === '' || issuer === '')) {
    throw invalidRequest('provider or client_id and issuer required')
  }
  const linkTo = body.link_identity ? await requireLinkingUser(ctx, c) : null
  const chosen = await chooseIssuer(ctx, { provider, issuer, clientId, idToken })
  const token = await verify(ctx, chosen, { idToken, accessToken })
  checkNonce(token, chosen, body.nonce ?? '')
  const providerUser = readIdToken(token)
  const clientInfo = readClientInfo(c)
  const signIn: ProviderSignIn = {
    provider: chosen.provider,
    providerUser: { ...providerUser, emails: usableEmails(providerUser.emails) },
    emailOptional: chosen.emailOptional,
    ip: clientInfo.ip,
    redirectTo: readRedirectUrl(ctx, c),
  }
  const outcome = await transactAccount(ctx, async (tx) => {
    const { user, error } =
      linkTo === null
        ? await findOrCreateUser(ctx, tx, signIn)
        : await linkIdentity(ctx, tx, { ...signIn, userId: linkTo })
    // Returned and thrown after the commit: a rollback would make the link in the mail invalid.
    return error ?? issueSession(ctx, tx, { user, method: 'oauth', clientInfo })
  })
  if (outcome instanceof AuthError) throw outcome
  return outcome
}

/** The user to link the identity to. Throws AuthError. */
async function requireLinkingUser(ctx: CallerContext, c: AuthRequest): Promise<string> {
  const me = await requireFirstPartyUser(ctx, c)
  requireSecondFactor(me)
  return me.user.id
}

function invalidRequest(description: string): OAuthError {
  return new OAuthError('invalid request', description)
}

/**
 * Details are only returned for tokens of this provider; whether a token is from another one is not revealed.
 */
async function verify(
  ctx: Pick<AuthContext, 'log' | 'providers'>,
  chosen: ChosenIssuer,
  o: { idToken: string; accessToken: string },
): Promise<JWTPayload> {
  const options = {
    ...chosen.options,
    issuer: chosen.issuer,
    audiences: null,
    ...(o.accessToken === '' ? {} : { accessToken: o.accessToken }),
  }
  let token: JWTPayload
  try {
    token = await ctx.providers.issuers.verify(o.idToken, options)
  } catch (error) {
    if (error instanceof OutboundError) {
      ctx.log.warn('auth.issuer_unreachable', { issuer: chosen.issuer, reason: error.message })
    }
    throw invalidRequest('Bad ID token')
  }
  if (typeof token.sub !== 'string' || token.sub === '') throw invalidRequest('Missing sub claim in id_token')
  const audiences = [token.aud ?? []].flat()
  if (!chosen.audiences.some((one) => audiences.includes(one))) {
    throw invalidRequest(`Unacceptable audience in id_token: [${audiences.join(' ')}]`)
  }
  return token
}

/** The application sent the hash of its nonce to the provider, and now sends the nonce itself. */
function checkNonce(token: JWTPayload, chosen: ChosenIssuer, nonce: string): void {
  if (chosen.skipNonceCheck) return
  const signed = typeof token['nonce'] === 'string' ? token['nonce'] : ''
  if ((signed === '') !== (nonce === '')) {
    throw invalidRequest('Passed nonce and nonce in id_token should either both exist or not.')
  }
  if (signed === '') return
  const digest = createHash('sha256').update(nonce).digest('hex')
  if (!isSameToken(digest, signed)) throw new OAuthError('invalid nonce', 'Nonces mismatch')
}
