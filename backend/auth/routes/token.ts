import type { Hono } from 'hono'
import type { ServiceEnv } from '../../../wire/claims.ts'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../AuthError.ts'
import { writeAudit } from '../audit.ts'
import { originOf, type AuthRequest } from '../callers.ts'
import { checkPasswordStrength } from '../passwords.ts'
import { readBody } from '../readBody.ts'
import { refreshSession } from '../refreshSession.ts'
import { findUserByEmail, findUserById, lockUser } from '../rows/findUser.ts'
import { redeemFlowCode } from '../rows/flowState.ts'
import { isBanned, type UserRow } from '../rows/user.ts'
import { issueSession, type SessionAnswer } from '../sessions.ts'
import { transact } from '../transact.ts'

type Grant = (ctx: AuthContext, c: AuthRequest) => Promise<SessionAnswer>

const grants: Record<string, Grant> = {
  password: grantByPassword,
  refresh_token: grantByRefreshToken,
  pkce: grantByCode,
  id_token: async (_, c) => {
    const body = await readBody(c, { provider: 'string' })
    const message = `Provider (issuer "${body.provider ?? ''}") is not enabled`
    throw new AuthError(400, 'provider_disabled', message)
  },
  web3: async () => {
    throw new AuthError(422, 'web3_provider_disabled', 'Web3 provider is disabled')
  },
}

/** POST /token?grant_type=… */
export function addToken(app: Hono<ServiceEnv>, ctx: AuthContext): void {
  app.post('/token', async (c) => {
    const name = c.req.query('grant_type') ?? ''
    const grant = Object.hasOwn(grants, name) ? grants[name] : undefined
    if (!grant) throw new AuthError(400, 'invalid_credentials', 'unsupported_grant_type')
    ctx.limits.count('token', originOf(c).ip)
    return c.json(await grant(ctx, c))
  })
}

async function grantByPassword(ctx: AuthContext, c: AuthRequest): Promise<SessionAnswer> {
  const body = await readBody(c, { email: 'string', phone: 'string', password: 'string' })
  if (body.email && body.phone) {
    const message = 'Only an email address or phone number should be provided on login.'
    throw new AuthError(400, 'validation_failed', message)
  }
  if (body.phone) throw new AuthError(422, 'phone_provider_disabled', 'Phone logins are disabled')
  if (!body.email) throw new AuthError(400, 'validation_failed', 'missing email or phone')
  if (!ctx.settings.email.enabled) {
    throw new AuthError(422, 'email_provider_disabled', 'Email logins are disabled')
  }
  const password = body.password ?? ''
  const found = await findUserByEmail(ctx.pool, body.email)
  const stored = found?.encrypted_password || null
  const fits = await ctx.passwords.verify(stored, password)
  // Only who knows the password learns anything about the account.
  if (!found || !fits) throw new AuthError(400, 'invalid_credentials', 'Invalid login credentials')
  if (isBanned(found)) throw new AuthError(400, 'user_banned', 'User is banned')
  if (!found.email_confirmed_at) throw new AuthError(400, 'email_not_confirmed', 'Email not confirmed')
  const renewed = stored?.startsWith('$argon2id$') ? null : await ctx.passwords.hash(password)
  const origin = originOf(c)
  const answer = await transact(ctx.pool, async (client) => {
    const user = await lockUser(client, found.id)
    // Between check and lock the password may have been changed, by someone who wants the old one out.
    if (!user || user.encrypted_password !== stored || isBanned(user)) {
      throw new AuthError(400, 'invalid_credentials', 'Invalid login credentials')
    }
    if (renewed) {
      await client.query('update auth.users set encrypted_password = $2 where id = $1', [user.id, renewed])
    }
    await writeAudit(client, user, 'login', origin.ip, { provider: 'email' })
    return issueSession(ctx, client, { user, method: 'password', origin })
  })
  return { ...answer, ...weakness(ctx, password) }
}

/** A password that today's rules would refuse still signs in, and the client is told. */
function weakness(ctx: AuthContext, password: string): Pick<SessionAnswer, 'weak_password'> {
  try {
    checkPasswordStrength(password, ctx.settings.password)
    return {}
  } catch (error) {
    if (!(error instanceof AuthError) || !error.reasons) return {}
    return { weak_password: { message: error.message, reasons: error.reasons } }
  }
}

async function grantByRefreshToken(ctx: AuthContext, c: AuthRequest): Promise<SessionAnswer> {
  const body = await readBody(c, { refresh_token: 'string' })
  if (!body.refresh_token) throw new AuthError(400, 'validation_failed', 'refresh_token required')
  return refreshSession(ctx, body.refresh_token, originOf(c))
}

async function grantByCode(ctx: AuthContext, c: AuthRequest): Promise<SessionAnswer> {
  const body = await readBody(c, { auth_code: 'string', code_verifier: 'string' })
  if (!body.auth_code || !body.code_verifier) {
    const message = 'invalid request: both auth code and code verifier should be non-empty'
    throw new AuthError(400, 'validation_failed', message)
  }
  const { auth_code: code, code_verifier: verifier } = body
  const origin = originOf(c)
  return transact(ctx.pool, async (client) => {
    const flow = await redeemFlowCode(client, code, verifier)
    const user: UserRow | null = await findUserById(client, flow.userId)
    if (!user)
      throw new AuthError(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found')
    if (isBanned(user)) throw new AuthError(403, 'user_banned', 'User is banned')
    await writeAudit(client, user, 'login', origin.ip, { provider_type: flow.provider })
    return issueSession(ctx, client, { user, method: flow.method, origin })
  })
}
