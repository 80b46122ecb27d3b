import { findUserByContact, isContactConfirmed, startsSignedIn, type Contact } from '../accounts/contact.ts'
import { withMessageLimits } from '../accounts/withMessageLimits.ts'
import { checkMetadata } from '../accounts/checkMetadata.ts'
import { callBeforeUserCreatedHook, scheduleAfterUserCreatedHook } from '../accounts/userCreatedHooks.ts'
import { isUnclaimed } from '../accounts/releaseUnverifiedEmail.ts'
import { createDecoyUser } from '../accounts/createDecoyUser.ts'
import { registerUser, type Registration } from '../accounts/registerUser.ts'
import { toDatabaseError, retryUniqueViolation } from '../accounts/databaseErrors.ts'
import { validateEmail, validatePhone } from '../accounts/validateEmail.ts'
import type { AuthApp, AuthContext } from '../AuthContext.ts'
import { AuthError, invalid } from '../http/AuthError.ts'
import { readClientInfo, readRedirectUrl, type AuthRequest } from '../http/authenticate.ts'
import { readBody } from '../http/readBody.ts'
import { requireCaptcha } from '../http/requireCaptcha.ts'
import { requirePasswords } from '../http/requireMethod.ts'
import { readQueueKey } from '../http/clientAddress.ts'
import { writeAudit } from '../audit.ts'
import { checkPasswordStrength } from '../passwords/checkPasswordStrength.ts'
import { createUser, buildNewUser } from '../rows/createUser.ts'
import { challengeFields, parseChallenge, type Challenge } from '../rows/flowState.ts'
import { renderUser, type UserRow } from '../rows/user.ts'
import { issueSession } from '../sessions/sessions.ts'
import { checkSmsChannel } from '../sms/sendSms.ts'
import type { SmsChannel } from '../sms/SmsProvider.ts'
import { transact } from '../transact.ts'

/** POST /signup: with email address or phone number and password, or anonymously with neither. */
export function addSignUp(app: AuthApp, ctx: AuthContext): void {
  app.post('/signup', async (c) => {
    await requireCaptcha(ctx, c)
    const body = await readBody(c, {
      email: 'string',
      phone: 'string',
      password: 'string',
      data: 'object',
      channel: 'string',
      ...challengeFields,
    })
    const { email = '', phone = '', password = '', data = {} } = body
    checkMetadata(data)
    if (!email && !phone) return c.json(await signUpAnonymously(ctx, c, data))
    ctx.limits.count('signup', readClientInfo(c).ip)
    requireSignupEnabled(ctx)
    requirePasswords(ctx.settings)
    if (password === '') throw invalid('Signup requires a valid password')
    await checkPasswordStrength(password, ctx.settings.password)
    if (email && phone) throw invalid('Only an email address or phone number should be provided on signup.')
    const channel = phone ? checkSmsChannel(ctx, body.channel) : 'sms'
    if (phone && body.code_challenge) throw invalid('PKCE not supported for phone signups')
    const challenge = parseChallenge(body)
    const contact = readContact(ctx, { email, phone, channel })
    return c.json(await signUp(ctx, c, { contact, password, data, challenge }))
  })
}

function requireSignupEnabled(ctx: AuthContext): void {
  if (ctx.settings.signupEnabled) return
  throw new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance')
}

function readContact(
  ctx: AuthContext,
  { email, phone, channel }: { email: string; phone: string; channel: SmsChannel },
): Contact {
  if (email) {
    if (ctx.settings.email.enabled) return { provider: 'email', email: validateEmail(email) }
    throw new AuthError(400, 'email_provider_disabled', 'Email signups are disabled')
  }
  if (ctx.settings.sms.enabled) return { provider: 'phone', phone: validatePhone(phone), channel }
  throw new AuthError(400, 'phone_provider_disabled', 'Phone signups are disabled')
}

async function signUp(
  ctx: AuthContext,
  c: AuthRequest,
  o: Pick<Registration, 'contact' | 'data'> & { password: string; challenge: Challenge | null },
): Promise<unknown> {
  const { contact, password, data } = o
  const { provider } = contact
  const clientInfo = readClientInfo(c)
  const registration: Registration = {
    ...o,
    // Hashed whether or not the contact is taken, so that the time does not reveal it.
    passwordHash: await ctx.passwords.hash(password, readQueueKey(c)),
    redirectTo: readRedirectUrl(ctx, c),
    ip: clientInfo.ip,
  }
  const beganAt = new Date()
  const register = (): Promise<{ response: unknown } | { unconfirmed: UserRow | null }> =>
    retryUniqueViolation(async () => {
      const matchingHash = await findMatchingHash(ctx, c, contact, password)
      return transact(ctx, async (tx) => {
        const registered = await registerUser(ctx, tx, { ...registration, matchingHash })
        const { outcome, user } = registered
        if (outcome === 'exists') {
          await writeAudit(tx, user, 'user_repeated_signup', clientInfo.ip, { provider })
          return { unconfirmed: null }
        }
        if (outcome === 'confirmation_sent') {
          if (registered.isNew) return { response: renderUser(user) }
          return { unconfirmed: isUnclaimed(user) ? user : null }
        }
        await writeAudit(tx, user, 'login', clientInfo.ip, { provider })
        return { response: await issueSession(ctx, tx, { user, method: 'password', clientInfo }) }
      })
    }).catch((error: unknown) => {
      throw toDatabaseError(error)
    })
  if (startsSignedIn(ctx.settings, provider)) {
    const registered = await register()
    if ('response' in registered) return registered.response
    throw new AuthError(422, 'user_already_exists', 'User already registered')
  }
  return withMessageLimits(ctx, contact, async () => {
    const registered = await register().catch((error: unknown) => {
      if (!(error instanceof AuthError) || !ctx.settings.hidesAccounts) throw error
      ctx.log.error('auth.message_failed', { reason: error.message })
      return { unconfirmed: null }
    })
    if ('response' in registered) return registered.response
    return createDecoyUser(ctx, { contact, data, beganAt, existing: registered.unconfirmed })
  })
}

/**
 * The stored hash of an unconfirmed account, if the password matches it. A password is always verified, so that
 * the time does not reveal whether there is one.
 */
async function findMatchingHash(
  ctx: AuthContext,
  c: AuthRequest,
  contact: Contact,
  password: string,
): Promise<string | null> {
  const user = await ctx.pool.withClient((client) => findUserByContact(client, contact))
  const stored = user && !isContactConfirmed(user, contact.provider) ? user.encrypted_password || null : null
  return (await ctx.passwords.verify(stored, password, readQueueKey(c))) ? stored : null
}

async function signUpAnonymously(
  ctx: AuthContext,
  c: AuthRequest,
  data: Record<string, unknown>,
): Promise<unknown> {
  if (!ctx.settings.anonymousEnabled) {
    throw new AuthError(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled')
  }
  const clientInfo = readClientInfo(c)
  ctx.limits.count('anonymous', clientInfo.ip)
  requireSignupEnabled(ctx)
  const values = buildNewUser({ data })
  return transact(ctx, async (tx) => {
    await callBeforeUserCreatedHook(ctx, tx, values, clientInfo.ip)
    const user = await createUser(tx, values)
    scheduleAfterUserCreatedHook(ctx, tx, { user, ip: clientInfo.ip })
    return issueSession(ctx, tx, { user, method: 'anonymous', clientInfo })
  }).catch((error: unknown) => {
    throw toDatabaseError(error)
  })
}
