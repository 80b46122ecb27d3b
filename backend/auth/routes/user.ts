import type { Transaction } from '../Transaction.ts'
import { checkMetadata } from '../accounts/checkMetadata.ts'
import { emailTakenError, phoneTakenError } from '../accounts/databaseErrors.ts'
import { changeEmail, changePhone, type ContactChange } from '../accounts/changeContact.ts'
import { challengeFields, parseChallenge, revokeCodes, storeFlow } from '../rows/flowState.ts'
import { checkNewPassword, storePassword } from '../accounts/newPassword.ts'
import { validateEmail, validatePhone } from '../accounts/validateEmail.ts'
import type { AuthApp, AuthContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import {
  type AuthenticatedUser,
  readClientInfo,
  readRedirectUrl,
  requireFirstPartyUser,
  requireUser,
} from '../http/authenticate.ts'
import { type Body, readBody } from '../http/readBody.ts'
import { readQueueKey } from '../http/clientAddress.ts'
import { writeAudit } from '../audit.ts'
import { requireMailedCodes, requirePasswords } from '../http/requireMethod.ts'
import { checkPasswordStrength } from '../passwords/checkPasswordStrength.ts'
import { mailEmailChange } from '../mail/mailUser.ts'
import { findOwnerOfEmail, findUserById, findUserByPhone, lockUser } from '../rows/findUser.ts'
import { mergeUserMetadata } from '../rows/updateUser.ts'
import { hasSecondFactor, renderUser, type UserRow } from '../rows/user.ts'
import { lockSession } from '../sessions/upgradeSession.ts'
import { checkSmsChannel } from '../sms/sendSms.ts'
import type { SmsChannel } from '../sms/SmsProvider.ts'
import { smsUser } from '../sms/smsUser.ts'
import { transact } from '../transact.ts'

const updateFields = {
  email: 'string',
  password: 'string',
  current_password: 'string',
  nonce: 'string',
  data: 'object',
  app_metadata: 'object',
  phone: 'string',
  channel: 'string',
  ...challengeFields,
} as const
/** The requested changes; email address and phone number are empty if they stay the same. */
type UserUpdate = Omit<Body<typeof updateFields>, 'email' | 'phone' | 'channel'> & {
  email: string
  phone: string
  channel: SmsChannel
}

/** GET and PUT /user: users read and change their own account. */
export function addUser(app: AuthApp, ctx: AuthContext): void {
  app.get('/user', async (c) => c.json(renderUser((await requireUser(ctx, c)).user)))

  app.put('/user', async (c) => {
    const me = await requireFirstPartyUser(ctx, c)
    const { ip } = readClientInfo(c)
    ctx.limits.count('user', ip)
    const update = await readUpdate(ctx, me.user, await readBody(c, updateFields))
    await checkUpdate(ctx, me, update)
    const { password, current_password: current = '', nonce = '' } = update
    const queueKey = readQueueKey(c)
    const newPassword = password
      ? await checkNewPassword(ctx, me, { password, current, nonce, queueKey })
      : null
    const redirectTo = readRedirectUrl(ctx, c)
    const user = await transact(ctx, async (tx) => {
      if (newPassword) await revokeCodes(tx, me.user.id)
      const user = await lockUser(tx, me.user.id)
      if (!user) throw new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
      // While a password waits for hashing, its owner may end this session or enroll a second factor.
      if (me.session) {
        const { isAal2 } = await lockSession(tx, user.id, me.session.id)
        checkFactors(user, isAal2, update)
      }
      const change = { user, ip }
      if (newPassword) await storePassword(ctx, tx, newPassword, { ...change, session: me.session })
      if (update.data) checkMetadata(update.data, user.raw_user_meta_data)
      if (update.data) await mergeUserMetadata(tx, user, update.data)
      if (update.email) await beginEmailChange(ctx, tx, change, update, redirectTo)
      if (update.phone) await beginPhoneChange(ctx, tx, change, update)
      await writeAudit(tx, user, 'user_modified', ip)
      return (await findUserById(tx, user.id))!
    })
    return c.json(renderUser(user))
  })
}

async function readUpdate(
  ctx: AuthContext,
  user: UserRow,
  body: Body<typeof updateFields>,
): Promise<UserUpdate> {
  const email = body.email ? validateEmail(body.email) : ''
  const phone = body.phone ? validatePhone(body.phone) : ''
  const channel = phone ? checkSmsChannel(ctx, body.channel) : 'sms'
  if (body.password !== undefined) await checkPasswordStrength(body.password, ctx.settings.password)
  return {
    ...body,
    email: email === user.email ? '' : email,
    phone: phone === user.phone ? '' : phone,
    channel,
  }
}

/** The checks that need no changes in the database. */
async function checkUpdate(
  ctx: AuthContext,
  { user, session }: AuthenticatedUser,
  { email, phone, password, nonce, app_metadata: appMetadata }: UserUpdate,
): Promise<void> {
  if (appMetadata) {
    throw new AuthError(403, 'not_admin', 'Updating app_metadata requires admin privileges')
  }
  if (email) requireMailedCodes(ctx.settings)
  if (password) requirePasswords(ctx.settings)
  const changesSignIn = Boolean(email || phone || password)
  checkFactors(user, session?.aal === 'aal2', { email, phone, password })
  if (user.is_anonymous && password && !email && !phone) {
    const message = 'Updating password of an anonymous user without an email or phone is not allowed'
    throw new AuthError(422, 'validation_failed', message)
  }
  if (user.is_sso_user && (changesSignIn || nonce)) {
    const message = 'Updating email, phone, password of a SSO account only possible via SSO'
    throw new AuthError(422, 'user_sso_managed', message)
  }
  if (email && (await findOwnerOfEmail(ctx.pool, email, user.id))) throw emailTakenError()
  if (phone && (await findUserByPhone(ctx.pool, phone))) throw phoneTakenError()
}

function checkFactors(
  user: UserRow,
  isAal2: boolean,
  { email, phone, password }: Pick<UserUpdate, 'email' | 'phone' | 'password'>,
): void {
  if (!hasSecondFactor(user) || isAal2 || !(email || phone || password)) return
  const message = 'AAL2 session is required to update email or password when MFA is enabled.'
  throw new AuthError(401, 'insufficient_aal', message)
}

async function beginEmailChange(
  ctx: AuthContext,
  tx: Transaction,
  change: ContactChange,
  update: UserUpdate,
  redirectTo: string,
): Promise<void> {
  const { user } = change
  if (user.is_anonymous && ctx.settings.email.autoconfirm) {
    await changeEmail(ctx, tx, update.email, change)
    return
  }
  const challenge = parseChallenge(update)
  if (challenge) {
    const method = 'email_change' as const
    await storeFlow(tx, { userId: user.id, challenge, method, provider: method })
  }
  const pkce = challenge !== null
  await mailEmailChange(ctx, tx, { ...change, newEmail: update.email, pkce, redirectTo })
}

async function beginPhoneChange(
  ctx: AuthContext,
  tx: Transaction,
  change: ContactChange,
  { phone, channel }: UserUpdate,
): Promise<void> {
  // With automatic confirmation a new number is accepted from everyone, as in GoTrue; a new address only from
  // anonymous users.
  if (ctx.settings.sms.autoconfirm) await changePhone(ctx, tx, phone, change)
  else await smsUser(ctx, tx, { ...change, phone, channel, type: 'phone_change' })
}
