import { networkOf } from '../../runtime/clientAddress/parseAddress.ts'
import type { AuthApp, AuthContext } from '../AuthContext.ts'
import { AuthError, invalid } from '../http/AuthError.ts'
import {
  isUuid,
  readClientInfo,
  requireFirstPartyUser,
  type AuthRequest,
  type AuthenticatedUser,
} from '../http/authenticate.ts'
import { readBody } from '../http/readBody.ts'
import type { Proof } from '../factors/verifyProof.ts'
import { challengeFactor } from '../factors/challengeFactor.ts'
import { enrollFactor, enrollFields } from '../factors/enrollFactor.ts'
import { findFactor, type Factor } from '../factors/factor.ts'
import { unenrollFactor } from '../factors/unenrollFactor.ts'
import { verifyFactor } from '../factors/verifyFactor.ts'

/** /factors: users enroll, challenge, verify and remove their second factors. */
export function addFactors(app: AuthApp, ctx: AuthContext): void {
  app.post('/factors', async (c) => {
    const me = await requirePermanentUser(ctx, c)
    const body = await readBody(c, enrollFields)
    return c.json(await enrollFactor(ctx, { me, body, ip: readClientInfo(c).ip }))
  })

  app.post('/factors/:id/challenge', async (c) => {
    const { me, factor } = await requireFactor(ctx, c)
    const { ip } = readClientInfo(c)
    ctx.limits.count('factorChallenge', ip)
    checkVerifiable(ctx, factor)
    const body = factor.type === 'phone' ? await readBody(c, { channel: 'string' }) : { channel: undefined }
    return c.json(await challengeFactor(ctx, { me, factorId: factor.id, channel: body.channel, ip }))
  })

  app.post('/factors/:id/verify', async (c) => {
    const { me, factor } = await requireFactor(ctx, c)
    const clientInfo = readClientInfo(c)
    ctx.limits.count('factorVerify', clientInfo.ip)
    const body = await readBody(c, { challenge_id: 'string', code: 'string', webauthn: 'object' })
    const challengeId = body.challenge_id ?? '00000000-0000-0000-0000-000000000000'
    if (!isUuid(challengeId)) {
      const message = 'Could not parse request body as JSON: field challenge_id must be a UUID'
      throw new AuthError(400, 'bad_json', message)
    }
    if (!body.code && factor.type !== 'webauthn') {
      throw invalid('Code needs to be non-empty')
    }
    checkVerifiable(ctx, factor)
    // Counted per caller first, and refunded if the code was right: guesses of another caller keep the owner
    // out only when the limit of all callers together is reached.
    const callerKey = `${networkOf(clientInfo.ip)} ${factor.id}`
    ctx.limits.count('wrongFactorCodePerCaller', callerKey)
    ctx.limits.count('wrongFactorCodeAnyCaller', factor.id)
    const webauthn = factor.type === 'webauthn' ? readWebAuthnResponse(body.webauthn) : null
    const proof = { code: body.code ?? '', webauthn }
    const session = await verifyFactor(ctx, { me, factorId: factor.id, challengeId, proof, clientInfo })
    ctx.limits.refund('wrongFactorCodePerCaller', callerKey)
    ctx.limits.refund('wrongFactorCodeAnyCaller', factor.id)
    return c.json(session)
  })

  app.delete('/factors/:id', async (c) => {
    const { me, factor } = await requireFactor(ctx, c)
    await unenrollFactor(ctx, { me, factorId: factor.id, ip: readClientInfo(c).ip })
    return c.json({ id: factor.id })
  })

  // Recovery codes, for which the client library has methods; hosted Supabase does not serve them either.
  app.all('/factors/*', async (c, next) => {
    await requireFactor(ctx, c)
    return next()
  })
}

/**
 * The user of a token of the site itself, who is not anonymous. Throws AuthError as requireFirstPartyUser does.
 */
export async function requirePermanentUser(ctx: AuthContext, c: AuthRequest): Promise<AuthenticatedUser> {
  const me = await requireFirstPartyUser(ctx, c)
  if (me.user.is_anonymous) {
    throw new AuthError(403, 'no_authorization', 'Anonymous user not allowed to perform these actions')
  }
  return me
}

async function requireFactor(
  ctx: AuthContext,
  c: AuthRequest,
): Promise<{ me: AuthenticatedUser; factor: Factor }> {
  const me = await requirePermanentUser(ctx, c)
  const id = c.req.param('id') ?? c.req.path.split('/factors/')[1]?.split('/')[0] ?? ''
  if (!isUuid(id)) throw new AuthError(404, 'validation_failed', 'factor_id must be an UUID')
  const factor = await findFactor(ctx.pool, me.user.id, id)
  if (!factor) throw new AuthError(404, 'mfa_factor_not_found', 'Factor not found')
  return { me, factor }
}

function checkVerifiable(ctx: AuthContext, factor: Factor): void {
  const { totp, phone, webauthn } = ctx.settings.factors
  if (factor.type === 'phone' && !phone.verify) {
    throw new AuthError(422, 'mfa_phone_verify_not_enabled', 'MFA verification is disabled for Phone')
  }
  if (factor.type === 'totp' && !totp.verify) {
    throw new AuthError(422, 'mfa_totp_verify_not_enabled', 'MFA verification is disabled for TOTP')
  }
  if (factor.type === 'webauthn' && !webauthn.verify) {
    throw new AuthError(422, 'mfa_webauthn_verify_not_enabled', 'MFA verification is disabled for WebAuthn')
  }
}

function readWebAuthnResponse(fields: Record<string, unknown> | undefined): Proof['webauthn'] {
  if (!fields) throw invalid('WebAuthn config required')
  const { type, credential_response: response } = fields
  if (type !== 'create' && type !== 'request') throw invalid('WebAuthn type must be create or request')
  if (response === undefined || response === null) throw invalid('credential_response required')
  if (typeof response !== 'object') throw invalid('Invalid credential_response')
  return { type, response: response as Record<string, unknown> }
}
