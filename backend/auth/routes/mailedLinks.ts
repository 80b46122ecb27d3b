import type { Hono } from 'hono'
import type { ServiceEnv } from '../../../wire/claims.ts'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../asking/AuthError.ts'
import { writeAudit } from '../audit.ts'
import { originOf, redirectOf, type AuthRequest } from '../asking/callers.ts'
import { checkSendFrequency } from '../guards/checkSendFrequency.ts'
import { mailEmailChange, mailUser } from '../mail/mailUser.ts'
import { readBody } from '../asking/readBody.ts'
import { requireCaptcha } from '../asking/requireCaptcha.ts'
import { asDatabaseRefusal, registerUser, withoutRace } from '../accounts/registerUser.ts'
import { findUserByEmail, lockUser } from '../rows/findUser.ts'
import { parseChallenge, storeFlow, type Challenge } from '../rows/flowState.ts'
import { transact } from '../transact.ts'
import { validateEmail } from '../accounts/validateEmail.ts'

const challengeFields = { code_challenge: 'string', code_challenge_method: 'string' } as const

/** POST /otp, /magiclink, /recover, /resend: a mail with a link and a code, whoever asks. */
export function addMailedLinks(app: Hono<ServiceEnv>, ctx: AuthContext): void {
  app.post('/otp', async (c) => {
    ctx.limits.count('otp', originOf(c).ip)
    await requireCaptcha(ctx, c)
    const body = await readBody(c, {
      email: 'string',
      phone: 'string',
      channel: 'string',
      create_user: 'boolean',
      data: 'object',
      ...challengeFields,
    })
    const invalid = (message: string): AuthError => new AuthError(400, 'validation_failed', message)
    if (body.email && body.phone) throw invalid('Only an email address or phone number should be provided')
    if (body.email && body.channel) throw invalid('Channel should only be specified with Phone OTP')
    const challenge = parseChallenge(body.code_challenge ?? '', body.code_challenge_method ?? '')
    if (body.phone) throw new AuthError(400, 'phone_provider_disabled', 'Unsupported phone provider')
    if (!body.email) throw invalid('One of email or phone must be set')
    await sendMagicLink(ctx, c, {
      email: validateEmail(body.email),
      data: body.data ?? {},
      challenge,
      mayCreate: body.create_user ?? true,
      redirectTo: redirectOf(ctx, c),
    })
    return c.json({})
  })

  app.post('/magiclink', async (c) => {
    ctx.limits.count('magiclink', originOf(c).ip)
    await requireCaptcha(ctx, c)
    const body = await readBody(c, { email: 'string', data: 'object', ...challengeFields })
    if (!body.email) throw new AuthError(422, 'validation_failed', 'Password recovery requires an email')
    const email = validateEmail(body.email)
    const challenge = parseChallenge(body.code_challenge ?? '', body.code_challenge_method ?? '')
    const redirectTo = redirectOf(ctx, c)
    await sendMagicLink(ctx, c, { email, data: body.data ?? {}, challenge, mayCreate: true, redirectTo })
    return c.json({})
  })

  app.post('/recover', async (c) => {
    ctx.limits.count('recover', originOf(c).ip)
    await requireCaptcha(ctx, c)
    requireEmailProvider(ctx, 400)
    const body = await readBody(c, { email: 'string', ...challengeFields })
    if (!body.email) throw new AuthError(400, 'validation_failed', 'Password recovery requires an email')
    const email = validateEmail(body.email)
    const challenge = parseChallenge(body.code_challenge ?? '', body.code_challenge_method ?? '')
    const redirectTo = redirectOf(ctx, c)
    await transact(ctx.pool, async (client, later) => {
      const found = await findUserByEmail(client, email)
      const user = found && (await lockUser(client, found.id))
      if (!user) return waitLikeKnown(ctx, 'recover', email)
      if (challenge) {
        await storeFlow(client, { userId: user.id, challenge, method: 'recovery', provider: 'recovery' })
      }
      await writeAudit(client, user, 'user_recovery_requested', originOf(c).ip)
      await mailUser(ctx, client, { letter: 'recovery', user, pkce: challenge !== null, redirectTo, later })
    })
    return c.json({})
  })

  app.post('/resend', async (c) => {
    ctx.limits.count('resend', originOf(c).ip)
    await requireCaptcha(ctx, c)
    const body = await readBody(c, { type: 'string', email: 'string', phone: 'string', ...challengeFields })
    const type = body.type ?? ''
    const invalid = (message: string): AuthError => new AuthError(400, 'validation_failed', message)
    if (!['signup', 'email_change', 'sms', 'phone_change'].includes(type)) {
      throw invalid('Missing one of these types: signup, email_change, sms, phone_change')
    }
    const challenge = parseChallenge(body.code_challenge ?? '', body.code_challenge_method ?? '')
    if (type === 'signup' && !body.email) throw invalid('Type provided requires an email address')
    if (type === 'sms' && !body.phone) throw invalid('Type provided requires a phone number')
    if (body.email && body.phone) throw invalid('Only an email address or phone number should be provided.')
    if (body.phone) throw new AuthError(400, 'phone_provider_disabled', 'Phone logins are disabled')
    if (!body.email) throw invalid('Missing email address or phone number')
    requireEmailProvider(ctx, 400)
    const email = validateEmail(body.email)
    const redirectTo = redirectOf(ctx, c)
    if (type === 'signup' || type === 'email_change') {
      await resend(ctx, c, { type, email, challenge, redirectTo })
    }
    return c.json({})
  })
}

function requireEmailProvider(ctx: AuthContext, status: 400 | 422): void {
  if (!ctx.settings.email.enabled) {
    throw new AuthError(status, 'email_provider_disabled', 'Email logins are disabled')
  }
}

/** Answers for an address that nobody has as for one that somebody has: 200 once, then 429 for a while. */
function waitLikeKnown(ctx: AuthContext, kind: string, email: string): void {
  const { maxFrequency } = ctx.settings.email
  checkSendFrequency('email', ctx.limits.lastAskedInVain(kind, email, maxFrequency), maxFrequency)
}

/**
 * A sign-in link for whoever has the address; who has no account gets one first. A new account is mailed
 * "confirmation", which signs in as well, unless accounts are confirmed without it.
 */
async function sendMagicLink(
  ctx: AuthContext,
  c: AuthRequest,
  o: {
    email: string
    data: Record<string, unknown>
    challenge: Challenge | null
    mayCreate: boolean
    redirectTo: string
  },
): Promise<void> {
  requireEmailProvider(ctx, 422)
  const { email, challenge, redirectTo } = o
  const { ip } = originOf(c)
  await withoutRace(() =>
    transact(ctx.pool, async (client, later) => {
      const found = await findUserByEmail(client, email)
      if (!found && !o.mayCreate) throw new AuthError(422, 'otp_disabled', 'Signups not allowed for otp')
      let user = found && (await lockUser(client, found.id))
      if (!user?.email_confirmed_at) {
        if (!ctx.settings.signupEnabled) {
          throw new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance')
        }
        const registration = { email, passwordHash: '', data: o.data, challenge, redirectTo, ip }
        const registered = await registerUser(ctx, client, later, registration)
        if (registered.outcome !== 'confirmed') return
        user = registered.user
      }
      if (challenge) {
        await storeFlow(client, { userId: user.id, challenge, method: 'magiclink', provider: 'magiclink' })
      }
      await writeAudit(client, user, 'user_recovery_requested', ip)
      await mailUser(ctx, client, { letter: 'magic_link', user, pkce: challenge !== null, redirectTo, later })
    }),
  ).catch((error: unknown) => {
    throw asDatabaseRefusal(error)
  })
}

async function resend(
  ctx: AuthContext,
  c: AuthRequest,
  o: { type: 'signup' | 'email_change'; email: string; challenge: Challenge | null; redirectTo: string },
): Promise<void> {
  const { type, email, challenge, redirectTo } = o
  await transact(ctx.pool, async (client, later) => {
    const found = await findUserByEmail(client, email)
    const user = found && (await lockUser(client, found.id))
    if (!user) return waitLikeKnown(ctx, type, email)
    const pkce = challenge !== null
    if (type === 'signup') {
      if (user.email_confirmed_at) return waitLikeKnown(ctx, type, email)
      await writeAudit(client, user, 'user_confirmation_requested', originOf(c).ip)
      if (challenge) {
        await storeFlow(client, {
          userId: user.id,
          challenge,
          method: 'email/signup',
          provider: 'email/signup',
        })
      }
      await mailUser(ctx, client, { letter: 'confirmation', user, pkce, redirectTo, later })
      return
    }
    if (!user.email_change) return waitLikeKnown(ctx, type, email)
    if (challenge) {
      await storeFlow(client, {
        userId: user.id,
        challenge,
        method: 'email_change',
        provider: 'email_change',
      })
    }
    await mailEmailChange(ctx, client, { user, newEmail: user.email_change, pkce, redirectTo, later })
  })
}
