import { hideAccountExistence, withMessageLimits } from '../accounts/withMessageLimits.ts'
import { checkMetadata } from '../accounts/checkMetadata.ts'
import type { Contact } from '../accounts/contact.ts'
import { sendSignInMessage } from '../accounts/sendSignInMessage.ts'
import { validateEmail, validatePhone } from '../accounts/validateEmail.ts'
import type { AuthApp, AuthContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import { type AuthRequest, readClientInfo, readRedirectUrl } from '../http/authenticate.ts'
import { readBody } from '../http/readBody.ts'
import { requireCaptcha } from '../http/requireCaptcha.ts'
import { requireMailedCodes } from '../http/requireMethod.ts'
import { findUserByEmail, findUserByPhone } from '../rows/findUser.ts'
import { type Challenge, challengeFields, parseChallenge } from '../rows/flowState.ts'
import { checkSmsChannel } from '../sms/sendSms.ts'

const invalid = (message: string, status = 400): AuthError =>
  new AuthError(status, 'validation_failed', message)

/** POST /otp, /magiclink: sends a mail with a sign-in link and code, or a text message with a code. */
export function addOtp(app: AuthApp, ctx: AuthContext): void {
  app.post('/otp', async (c) => {
    ctx.limits.count('otp', readClientInfo(c).ip)
    await requireCaptcha(ctx, c)
    const body = await readBody(c, {
      email: 'string',
      phone: 'string',
      channel: 'string',
      create_user: 'boolean',
      data: 'object',
      ...challengeFields,
    })
    const { email = '', phone = '', channel = '', data } = body
    if (email && phone) throw invalid('Only an email address or phone number should be provided')
    if (email && channel) throw invalid('Channel should only be specified with Phone OTP')
    const challenge = parseChallenge(body)
    const shouldCreateUser = body.create_user !== false
    if (!shouldCreateUser && !ctx.settings.hidesAccounts && !(await hasAccount(ctx, email, phone))) {
      throw new AuthError(422, 'otp_disabled', 'Signups not allowed for otp')
    }
    if (email) {
      requireMailedCodes(ctx.settings)
      const contact = { provider: 'email', email: validateEmail(email) } as const
      return c.json(await sendSignIn(ctx, c, { contact, data, challenge, shouldCreateUser }))
    }
    if (!phone) throw invalid('One of email or phone must be set')
    if (!ctx.settings.sms.enabled) {
      throw new AuthError(400, 'phone_provider_disabled', 'Unsupported phone provider')
    }
    const digits = validatePhone(phone)
    const contact = { provider: 'phone', phone: digits, channel: checkSmsChannel(ctx, channel) } as const
    return c.json(await sendSignIn(ctx, c, { contact, data, challenge: null, shouldCreateUser }))
  })

  app.post('/magiclink', async (c) => {
    ctx.limits.count('magiclink', readClientInfo(c).ip)
    await requireCaptcha(ctx, c)
    requireMailedCodes(ctx.settings)
    const body = await readBody(c, { email: 'string', data: 'object', ...challengeFields })
    if (!body.email) throw invalid('Password recovery requires an email', 422)
    const email = validateEmail(body.email)
    const challenge = parseChallenge(body)
    const contact = { provider: 'email', email } as const
    return c.json(await sendSignIn(ctx, c, { contact, data: body.data, challenge, shouldCreateUser: true }))
  })
}

/** Whether there is an account; false for an invalid address or number. */
async function hasAccount(ctx: AuthContext, email: string, phone: string): Promise<boolean> {
  try {
    if (email) return (await findUserByEmail(ctx.pool, validateEmail(email))) !== null
    return !phone || (await findUserByPhone(ctx.pool, validatePhone(phone))) !== null
  } catch (error) {
    if (error instanceof AuthError) return false
    throw error
  }
}

async function sendSignIn(
  ctx: AuthContext,
  c: AuthRequest,
  o: {
    contact: Contact
    data: Record<string, unknown> | undefined
    challenge: Challenge | null
    shouldCreateUser: boolean
  },
): Promise<{ message_id?: string }> {
  const { contact, data = {} } = o
  checkMetadata(data)
  const { ip } = readClientInfo(c)
  const redirectTo = readRedirectUrl(ctx, c)
  const work = (): Promise<string | null> => sendSignInMessage(ctx, { ...o, data, redirectTo, ip })
  const messageId = await withMessageLimits(ctx, contact, async () => {
    if (!ctx.settings.hidesAccounts) return work()
    await hideAccountExistence(ctx, contact.provider === 'email' ? 'email' : 'sms', work)
    return null
  })
  return messageId === null ? {} : { message_id: messageId }
}
