import type { Hono } from 'hono'
import type pg from 'pg'
import type { ServiceEnv } from '../../../wire/claims.ts'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../asking/AuthError.ts'
import { writeAudit } from '../audit.ts'
import { originOf, redirectOf, requireAdmin } from '../asking/callers.ts'
import { confirmationUrl, mailUser, type LinkType } from '../mail/mailUser.ts'
import { checkPasswordStrength } from '../guards/checkPasswordStrength.ts'
import { readBody } from '../asking/readBody.ts'
import { askBeforeUserCreated, asDatabaseRefusal, withoutRace } from '../accounts/registerUser.ts'
import { createOwnIdentity } from '../rows/createIdentity.ts'
import { createUser, newUser } from '../rows/createUser.ts'
import { findUserByEmail, findUserById, lockUser } from '../rows/findUser.ts'
import { createCode, hashCode, storeToken } from '../rows/oneTimeToken.ts'
import { mergeUserMetadata } from '../rows/updateUser.ts'
import { renderUser, type UserRow } from '../rows/user.ts'
import { transact } from '../transact.ts'
import { validateEmail } from '../accounts/validateEmail.ts'

const linkTypes = ['signup', 'invite', 'magiclink', 'recovery'] as const
type GeneratedType = (typeof linkTypes)[number]

/** POST /admin/generate_link makes a link without sending it, POST /invite sends one; for service keys. */
export function addAdminLinks(app: Hono<ServiceEnv>, ctx: AuthContext): void {
  app.post('/admin/generate_link', async (c) => {
    await requireAdmin(ctx, c)
    const body = await readBody(c, {
      type: 'string',
      email: 'string',
      new_email: 'string',
      password: 'string',
      data: 'object',
      redirect_to: 'string',
    })
    const email = validateEmail(body.email ?? '')
    const asked = body.type ?? ''
    if (asked === 'email_change_current' || asked === 'email_change_new') {
      throw new AuthError(501, 'not_implemented', 'This home does not generate links of this type yet.')
    }
    if (!linkTypes.includes(asked as GeneratedType)) {
      throw new AuthError(400, 'validation_failed', `Invalid email action link type requested: ${asked}`)
    }
    const redirectTo = redirectOf(ctx, c, body.redirect_to)
    const known = await findUserByEmail(ctx.pool, email)
    if (!known && asked === 'recovery') {
      throw new AuthError(404, 'user_not_found', 'User with this email not found')
    }
    const type = !known && asked === 'magiclink' ? 'signup' : (asked as GeneratedType)
    const passwordHash = asked === 'signup' && !known ? await requiredHash(ctx, body.password ?? '') : ''
    const made = await withoutRace(() =>
      transact(ctx.pool, (client) =>
        generateLink(ctx, client, { type, email, passwordHash, data: body.data ?? {}, ip: originOf(c).ip }),
      ),
    ).catch((error: unknown) => {
      throw asDatabaseRefusal(error)
    })
    return c.json({
      ...renderUser(made.user),
      action_link: confirmationUrl(ctx, made.hash, type, redirectTo),
      email_otp: made.code,
      hashed_token: made.hash,
      verification_type: type,
      redirect_to: redirectTo,
    })
  })

  app.post('/invite', async (c) => {
    await requireAdmin(ctx, c)
    const body = await readBody(c, { email: 'string', data: 'object' })
    const email = validateEmail(body.email ?? '')
    const redirectTo = redirectOf(ctx, c)
    const user = await withoutRace(() =>
      transact(ctx.pool, async (client, later) => {
        const { ip } = originOf(c)
        const user = await findOrMake(ctx, client, { email, passwordHash: '', data: body.data ?? {}, ip })
        await writeAudit(client, null, 'user_invited', ip, { user_id: user.id, user_email: email })
        await mailUser(ctx, client, { letter: 'invite', user, pkce: false, redirectTo, later })
        await client.query('update auth.users set invited_at = now() where id = $1', [user.id])
        return (await findUserById(client, user.id))!
      }),
    ).catch((error: unknown) => {
      throw asDatabaseRefusal(error)
    })
    return c.json(renderUser(user))
  })
}

async function requiredHash(ctx: AuthContext, password: string): Promise<string> {
  if (password === '') throw new AuthError(400, 'validation_failed', 'Signup requires a valid password')
  await checkPasswordStrength(password, ctx.settings.password)
  return ctx.passwords.hash(password)
}

interface Wanted {
  email: string
  passwordHash: string
  data: Record<string, unknown>
  ip: string
}

/** The account of an address that is not confirmed yet, made where there is none. */
async function findOrMake(ctx: AuthContext, client: pg.Client, o: Wanted): Promise<UserRow> {
  const found = await findUserByEmail(client, o.email)
  const known = found && (await lockUser(client, found.id))
  if (known?.email_confirmed_at) {
    const message = 'A user with this email address has already been registered'
    throw new AuthError(422, 'email_exists', message)
  }
  if (known) return known
  const made = newUser(o)
  await askBeforeUserCreated(ctx, client, made, o.ip)
  const user = await createUser(client, made)
  await createOwnIdentity(client, user.id, { provider: 'email', email: o.email, verified: false })
  return (await findUserById(client, user.id))!
}

async function generateLink(
  ctx: AuthContext,
  client: pg.Client,
  o: Wanted & { type: Extract<LinkType, GeneratedType> },
): Promise<{ user: UserRow; code: string; hash: string }> {
  const signsUp = o.type === 'signup' || o.type === 'invite'
  const found = signsUp ? await findOrMake(ctx, client, o) : await findUserByEmail(client, o.email)
  const user = found && (await lockUser(client, found.id))
  if (!user) throw new AuthError(404, 'user_not_found', 'User with this email not found')
  if (o.type === 'signup' && Object.keys(o.data).length > 0) await mergeUserMetadata(client, user, o.data)
  const action = o.type === 'invite' ? 'user_invited' : 'user_recovery_requested'
  await writeAudit(client, null, action, o.ip, { user_id: user.id, user_email: o.email })
  const code = createCode(ctx.settings.email.otpLength)
  const hash = hashCode(o.email, code)
  const type = signsUp ? 'confirmation_token' : 'recovery_token'
  await storeToken(client, { userId: user.id, type, hash, address: o.email })
  if (o.type === 'invite')
    await client.query('update auth.users set invited_at = now() where id = $1', [user.id])
  return { user: (await findUserById(client, user.id))!, code, hash }
}
