import type { Hono } from 'hono'
import type pg from 'pg'
import type { ServiceEnv } from '../../../wire/claims.ts'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../asking/AuthError.ts'
import { writeAudit } from '../audit.ts'
import { originOf, redirectOf, requireUser, type SignedIn } from '../asking/callers.ts'
import { mailEmailChange, mailUser } from '../mail/mailUser.ts'
import { turnOf } from '../asking/turnOf.ts'
import type { Turn } from '../guards/createHashQueue.ts'
import { checkPasswordStrength } from '../guards/checkPasswordStrength.ts'
import { readBody, type Body } from '../asking/readBody.ts'
import { findUserById, findUserOfAddress, lockUser } from '../rows/findUser.ts'
import { parseChallenge, storeFlow } from '../rows/flowState.ts'
import { hashCode } from '../rows/oneTimeToken.ts'
import { clearTokens, mergeUserMetadata, setPassword } from '../rows/updateUser.ts'
import { hasSecondFactor, renderUser, type UserRow } from '../rows/user.ts'
import { transact } from '../transact.ts'
import { validateEmail } from '../accounts/validateEmail.ts'
import { changeEmail, isFresh } from '../accounts/verification.ts'

const updateFields = {
  email: 'string',
  password: 'string',
  nonce: 'string',
  data: 'object',
  app_metadata: 'object',
  phone: 'string',
  code_challenge: 'string',
  code_challenge_method: 'string',
} as const
type UserUpdate = Body<typeof updateFields>

/** After so long in a session, a new password asks for a fresh proof of the address, in ms. */
const recently = 86_400_000

/** GET and PUT /user, POST /logout, GET /reauthenticate: what people do with their own account. */
export function addUser(app: Hono<ServiceEnv>, ctx: AuthContext): void {
  app.get('/user', async (c) => c.json(renderUser((await requireUser(ctx, c)).user)))

  app.put('/user', async (c) => {
    const me = await requireUser(ctx, c)
    const origin = originOf(c)
    ctx.limits.count('user', origin.ip)
    const body = await readBody(c, updateFields)
    const update = { ...body, email: body.email ? validateEmail(body.email) : '' }
    await checkUpdate(ctx, me, update)
    const hash = update.password ? await newPasswordHash(ctx, me, update.password, turnOf(c)) : null
    const redirectTo = redirectOf(ctx, c)
    const user = await transact(ctx.pool, async (client, later) => {
      const user = await lockUser(client, me.user.id)
      if (!user) throw new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
      if (hash !== null) {
        await proveRecent(ctx, client, { user, session: me.session }, update.nonce ?? '')
        await setPassword(client, user.id, hash, me.session?.id ?? null)
        await writeAudit(client, user, 'user_updated_password', origin.ip)
      }
      if (update.data) await mergeUserMetadata(client, user, update.data)
      if (update.email !== '' && update.email !== user.email) {
        await beginEmailChange(ctx, client, later, { user, update, redirectTo })
      }
      await writeAudit(client, user, 'user_modified', origin.ip)
      return (await findUserById(client, user.id))!
    })
    return c.json(renderUser(user))
  })

  app.get('/reauthenticate', async (c) => {
    const { user } = await requireUser(ctx, c)
    if (!user.email) {
      const message = 'Reauthentication requires the user to have an email or a phone number'
      throw new AuthError(400, 'validation_failed', message)
    }
    if (!user.email_confirmed_at) {
      throw new AuthError(422, 'email_not_confirmed', 'Please verify your email first.')
    }
    await transact(ctx.pool, async (client, later) => {
      const locked = (await lockUser(client, user.id)) ?? user
      await writeAudit(client, locked, 'user_reauthenticate_requested', originOf(c).ip)
      const redirectTo = ctx.siteUrl()
      await mailUser(ctx, client, {
        letter: 'reauthentication',
        user: locked,
        pkce: false,
        redirectTo,
        later,
      })
    })
    return c.json({})
  })

  app.post('/logout', async (c) => {
    const { user, session } = await requireUser(ctx, c)
    const scope = c.req.query('scope') || 'global'
    if (!['global', 'local', 'others'].includes(scope)) {
      throw new AuthError(400, 'validation_failed', `Unsupported logout scope ${JSON.stringify(scope)}`)
    }
    await transact(ctx.pool, async (client) => {
      await writeAudit(client, user, 'logout', originOf(c).ip)
      await client.query(
        `delete from auth.sessions where user_id = $1 and case $2
           when 'local' then id = $3::uuid
           when 'others' then id <> $3::uuid
           else true end`,
        [user.id, session === null ? 'global' : scope, session?.id ?? null],
      )
    })
    return c.body(null, 204)
  })
}

/** What can be refused before anything is touched. */
async function checkUpdate(
  ctx: AuthContext,
  { user, session }: SignedIn,
  update: UserUpdate & { email: string },
): Promise<void> {
  if (update.phone) throw new AuthError(400, 'phone_provider_disabled', 'Unsupported phone provider')
  if (update.password !== undefined) await checkPasswordStrength(update.password, ctx.settings.password)
  if (update.app_metadata) {
    throw new AuthError(403, 'not_admin', 'Updating app_metadata requires admin privileges')
  }
  const changesEmail = update.email !== '' && update.email !== user.email
  if (hasSecondFactor(user) && session?.aal !== 'aal2' && (update.password || changesEmail)) {
    const message = 'AAL2 session is required to update email or password when MFA is enabled.'
    throw new AuthError(401, 'insufficient_aal', message)
  }
  if (user.is_anonymous && update.password && update.email === '') {
    const message = 'Updating password of an anonymous user without an email or phone is not allowed'
    throw new AuthError(422, 'validation_failed', message)
  }
  if (changesEmail && (await findUserOfAddress(ctx.pool, update.email, user.id))) {
    const message = 'A user with this email address has already been registered'
    throw new AuthError(422, 'email_exists', message)
  }
}

async function newPasswordHash(
  ctx: AuthContext,
  { user }: SignedIn,
  password: string,
  turn: Turn,
): Promise<string> {
  const stored = user.encrypted_password
  if (stored && (await ctx.passwords.verify(stored, password, turn))) {
    const message = 'New password should be different from the old password.'
    throw new AuthError(422, 'same_password', message)
  }
  return ctx.passwords.hash(password, turn)
}

/** Where the configuration wants it, a session that is no longer fresh needs the code from a mail. */
async function proveRecent(
  ctx: AuthContext,
  client: pg.Client,
  { user, session }: SignedIn,
  nonce: string,
): Promise<void> {
  if (!ctx.settings.email.reauthenticateForPassword) return
  if (session && session.createdAt.getTime() + recently >= Date.now()) return
  if (nonce === '') {
    throw new AuthError(400, 'reauthentication_needed', 'Password update requires reauthentication')
  }
  const fits = user.reauthentication_token === hashCode(user.email ?? '', nonce)
  if (!fits || !isFresh(ctx, user.reauthentication_sent_at)) {
    throw new AuthError(422, 'reauthentication_not_valid', 'Nonce has expired or is invalid')
  }
  await clearTokens(client, user.id)
}

async function beginEmailChange(
  ctx: AuthContext,
  client: pg.Client,
  later: (deed: () => void) => void,
  o: { user: UserRow; update: UserUpdate & { email: string }; redirectTo: string },
): Promise<void> {
  const { user, update, redirectTo } = o
  if (user.is_anonymous && ctx.settings.email.autoconfirm) {
    await changeEmail(client, { ...user, email_change: update.email })
    return
  }
  const challenge = parseChallenge(update.code_challenge ?? '', update.code_challenge_method ?? '')
  if (challenge) {
    const method = 'email_change' as const
    await storeFlow(client, { userId: user.id, challenge, method, provider: method })
  }
  await mailEmailChange(ctx, client, {
    user,
    newEmail: update.email,
    pkce: challenge !== null,
    redirectTo,
    later,
  })
}
