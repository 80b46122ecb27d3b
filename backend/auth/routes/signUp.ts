import { randomUUID } from 'node:crypto'
import type { Hono } from 'hono'
import type { ServiceEnv } from '../../../wire/claims.ts'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../asking/AuthError.ts'
import { writeAudit } from '../audit.ts'
import { originOf, redirectOf, type AuthRequest } from '../asking/callers.ts'
import { turnOf } from '../asking/turnOf.ts'
import { checkPasswordStrength } from '../guards/checkPasswordStrength.ts'
import { readBody } from '../asking/readBody.ts'
import { requireCaptcha } from '../asking/requireCaptcha.ts'
import {
  askBeforeUserCreated,
  asDatabaseRefusal,
  registerUser,
  withoutRace,
} from '../accounts/registerUser.ts'
import { createUser, newUser } from '../rows/createUser.ts'
import { parseChallenge } from '../rows/flowState.ts'
import { renderUser, type UserRow } from '../rows/user.ts'
import { issueSession } from '../sessions/sessions.ts'
import { transact } from '../transact.ts'
import { validateEmail } from '../accounts/validateEmail.ts'

/** POST /signup: with address and password, or anonymously with neither. */
export function addSignUp(app: Hono<ServiceEnv>, ctx: AuthContext): void {
  app.post('/signup', async (c) => {
    await requireCaptcha(ctx, c)
    const body = await readBody(c, {
      email: 'string',
      phone: 'string',
      password: 'string',
      data: 'object',
      code_challenge: 'string',
      code_challenge_method: 'string',
    })
    const origin = originOf(c)
    if (!body.email && !body.phone) return c.json(await signUpAnonymously(ctx, c, body.data ?? {}))
    ctx.limits.count('signup', origin.ip)
    if (!ctx.settings.signupEnabled) {
      throw new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance')
    }
    const password = body.password ?? ''
    if (password === '') throw new AuthError(400, 'validation_failed', 'Signup requires a valid password')
    await checkPasswordStrength(password, ctx.settings.password)
    if (body.email && body.phone) {
      const message = 'Only an email address or phone number should be provided on signup.'
      throw new AuthError(400, 'validation_failed', message)
    }
    const challenge = parseChallenge(body.code_challenge ?? '', body.code_challenge_method ?? '')
    if (!body.email) throw new AuthError(400, 'phone_provider_disabled', 'Phone signups are disabled')
    if (!ctx.settings.email.enabled) {
      throw new AuthError(400, 'email_provider_disabled', 'Email signups are disabled')
    }
    const email = validateEmail(body.email)
    const data = body.data ?? {}
    // Hashed whether or not the address is taken: the time must not tell.
    const passwordHash = await ctx.passwords.hash(password, turnOf(c))
    const redirectTo = redirectOf(ctx, c)
    const answer = await withoutRace(() =>
      transact(ctx.pool, async (client, later) => {
        const registration = { email, passwordHash, data, challenge, redirectTo, ip: origin.ip }
        const { outcome, user } = await registerUser(ctx, client, later, registration)
        if (outcome === 'exists') {
          await writeAudit(client, user, 'user_repeated_signup', origin.ip, { provider: 'email' })
          return null
        }
        if (outcome === 'mailed') return renderUser(withoutPast(user))
        await writeAudit(client, user, 'login', origin.ip, { provider: 'email' })
        return issueSession(ctx, client, { user, method: 'password', origin })
      }),
    ).catch((error: unknown) => {
      throw asDatabaseRefusal(error)
    })
    if (answer) return c.json(answer)
    if (ctx.settings.email.autoconfirm) {
      throw new AuthError(422, 'user_already_exists', 'User already registered')
    }
    return c.json(inventUser(email, data))
  })
}

/** Someone who was invited by another must not be shown what that other wrote about them. */
function withoutPast(user: UserRow): UserRow {
  return user.invited_at ? { ...user, raw_user_meta_data: {}, identities: [] } : user
}

/** A user who does not exist, for an address that is taken: whoever asks learns nothing. */
function inventUser(email: string, data: Record<string, unknown>): Record<string, unknown> {
  const now = new Date().toISOString()
  return {
    id: randomUUID(),
    aud: 'authenticated',
    role: '',
    email,
    phone: '',
    confirmation_sent_at: now,
    app_metadata: { provider: 'email', providers: ['email'] },
    user_metadata: data,
    identities: [],
    created_at: now,
    updated_at: now,
    is_anonymous: false,
  }
}

async function signUpAnonymously(
  ctx: AuthContext,
  c: AuthRequest,
  data: Record<string, unknown>,
): Promise<unknown> {
  if (!ctx.settings.anonymousEnabled) {
    throw new AuthError(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled')
  }
  const origin = originOf(c)
  ctx.limits.count('anonymous', origin.ip)
  if (!ctx.settings.signupEnabled) {
    throw new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance')
  }
  const made = newUser({ data })
  return transact(ctx.pool, async (client) => {
    await askBeforeUserCreated(ctx, client, made, origin.ip)
    const user = await createUser(client, made)
    return issueSession(ctx, client, { user, method: 'anonymous', origin })
  }).catch((error: unknown) => {
    throw asDatabaseRefusal(error)
  })
}
