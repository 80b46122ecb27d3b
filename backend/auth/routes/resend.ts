import type { Transaction } from '../Transaction.ts'
import { hideAccountExistence, withMessageLimits } from '../accounts/withMessageLimits.ts'
import { releaseUnverifiedEmail } from '../accounts/releaseUnverifiedEmail.ts'
import { validateEmail, validatePhone } from '../accounts/validateEmail.ts'
import type { AuthApp, AuthContext } from '../AuthContext.ts'
import { AuthError, invalid } from '../http/AuthError.ts'
import { type AuthRequest, readClientInfo, readRedirectUrl } from '../http/authenticate.ts'
import { readBody } from '../http/readBody.ts'
import { requireCaptcha } from '../http/requireCaptcha.ts'
import { requireMailedCodes } from '../http/requireMethod.ts'
import { writeAudit } from '../audit.ts'
import { mailEmailChange, mailUser } from '../mail/mailUser.ts'
import { findUserByEmail, findUserByPhone, lockUser } from '../rows/findUser.ts'
import { type Challenge, challengeFields, parseChallenge, storeFlow } from '../rows/flowState.ts'
import type { UserRow } from '../rows/user.ts'
import { smsUser } from '../sms/smsUser.ts'
import { transact } from '../transact.ts'

const types = ['signup', 'email_change', 'sms', 'phone_change'] as const
type ResentType = (typeof types)[number]

interface ResendRequest {
  type: ResentType
  challenge: Challenge | null
  redirectTo: string
  ip: string
}

/** POST /resend: sends a pending confirmation again. */
export function addResend(app: AuthApp, ctx: AuthContext): void {
  app.post('/resend', async (c) => {
    ctx.limits.count('resend', readClientInfo(c).ip)
    await requireCaptcha(ctx, c)
    const { type, challenge, email, phone } = await readResend(ctx, c)
    const by = email ? 'email' : 'sms'
    const o = { type, challenge, redirectTo: readRedirectUrl(ctx, c), ip: readClientInfo(c).ip }
    await withMessageLimits(ctx, { provider: email ? 'email' : 'phone', email, phone }, () =>
      hideAccountExistence(ctx, by, () => resend(ctx, email, phone, o)),
    )
    // Hosted Supabase returns the id of a text message here, but not for unknown numbers.
    return c.json({})
  })
}

function resend(ctx: AuthContext, email: string, phone: string, o: ResendRequest): Promise<void> {
  return transact(ctx, async (tx) => {
    const found = await (email ? findUserByEmail(tx, email) : findUserByPhone(tx, phone))
    const locked = found && (await lockUser(tx, found.id))
    const user = locked && o.type === 'signup' ? await releaseUnverifiedEmail(tx, locked) : locked
    if (user && isPending(user, o.type)) await resendMessage(ctx, tx, user, o)
  })
}

/** Validates the request, in GoTrue's order of checks. */
async function readResend(
  ctx: AuthContext,
  c: AuthRequest,
): Promise<{ type: ResentType; challenge: Challenge | null; email: string; phone: string }> {
  const body = await readBody(c, {
    type: 'string',
    email: 'string',
    phone: 'string',
    ...challengeFields,
  })
  const { email = '', phone = '' } = body
  const type = types.find((one) => one === body.type)
  if (!type) throw invalid('Missing one of these types: signup, email_change, sms, phone_change')
  const byMail = type === 'signup' || type === 'email_change'
  const challenge = byMail ? parseChallenge(body) : null
  if (!email && type === 'signup') throw invalid('Type provided requires an email address')
  if (!phone && type === 'sms') throw invalid('Type provided requires a phone number')
  if (email && phone) throw invalid('Only an email address or phone number should be provided.')
  if (email) {
    requireMailedCodes(ctx.settings, 400)
    return { type, challenge, email: validateEmail(email), phone: '' }
  }
  if (!phone) throw invalid('Missing email address or phone number')
  if (!ctx.settings.sms.enabled) {
    throw new AuthError(400, 'phone_provider_disabled', 'Phone logins are disabled')
  }
  return { type, challenge, email: '', phone: validatePhone(phone) }
}

/** Whether a confirmation of this type is pending. */
function isPending(user: UserRow, type: ResentType): boolean {
  switch (type) {
    case 'signup':
      return user.email !== null && user.email_confirmed_at === null
    case 'sms':
      return user.phone_confirmed_at === null
    case 'email_change':
      return Boolean(user.email_change)
    case 'phone_change':
      return Boolean(user.phone_change)
  }
}

async function resendMessage(
  ctx: AuthContext,
  tx: Transaction,
  user: UserRow,
  { type, challenge, redirectTo, ip }: ResendRequest,
): Promise<void> {
  const pkce = challenge !== null
  const context = { areLimitsChecked: true, ip }
  if (type === 'sms' || type === 'phone_change') {
    if (type === 'sms') await writeAudit(tx, user, 'user_recovery_requested', ip)
    const text = type === 'sms' ? 'confirmation' : 'phone_change'
    const phone = (type === 'sms' ? user.phone : user.phone_change)!
    await smsUser(ctx, tx, { ...context, user, phone, type: text, isBackground: true })
    return
  }
  const method = type === 'signup' ? 'email/signup' : 'email_change'
  if (type === 'signup') await writeAudit(tx, user, 'user_confirmation_requested', ip)
  if (challenge) await storeFlow(tx, { userId: user.id, challenge, method, provider: method })
  if (type === 'signup') {
    await mailUser(ctx, tx, { ...context, mail: 'confirmation', user, pkce, redirectTo })
  } else {
    await mailEmailChange(ctx, tx, { ...context, user, newEmail: user.email_change!, pkce, redirectTo })
  }
}
