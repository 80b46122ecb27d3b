import { randomUUID } from 'node:crypto'
import type { Hono } from 'hono'
import type pg from 'pg'
import type { ServiceEnv } from '../../../wire/claims.ts'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../asking/AuthError.ts'
import { writeAudit } from '../audit.ts'
import { isUuid, originOf, requireAdmin, type AuthRequest } from '../asking/callers.ts'
import { parseDuration } from '../settings/duration.ts'
import { checkPasswordStrength } from '../guards/checkPasswordStrength.ts'
import { isPasswordHash } from '../guards/passwords.ts'
import { readBody, type Body } from '../asking/readBody.ts'
import { asDatabaseRefusal } from '../accounts/registerUser.ts'
import { createOwnIdentity } from '../rows/createIdentity.ts'
import { createUser, newUser } from '../rows/createUser.ts'
import { findUserById, findUserOfAddress, listUsers, lockUser } from '../rows/findUser.ts'
import {
  clearTokens,
  confirmUser,
  mergeAppMetadata,
  mergeUserMetadata,
  setOwnIdentity,
  setPassword,
} from '../rows/updateUser.ts'
import { renderUser, type UserRow } from '../rows/user.ts'
import { transact } from '../transact.ts'
import { validateEmail } from '../accounts/validateEmail.ts'

const userFields = {
  id: 'string',
  role: 'string',
  email: 'string',
  phone: 'string',
  password: 'string',
  password_hash: 'string',
  email_confirm: 'boolean',
  user_metadata: 'object',
  app_metadata: 'object',
  ban_duration: 'string',
} as const
type AdminUser = Body<typeof userFields>

const invalid = (message: string): AuthError => new AuthError(400, 'validation_failed', message)
const duplicate = (cause?: unknown): AuthError =>
  new AuthError(422, 'email_exists', 'A user with this email address has already been registered', { cause })

/** /admin/users: service keys list, make, change and delete accounts. */
export function addAdminUsers(app: Hono<ServiceEnv>, ctx: AuthContext): void {
  app.get('/admin/users', async (c) => {
    await requireAdmin(ctx, c)
    const page = readCount(c, 'page', 1)
    const perPage = readCount(c, 'per_page', 50)
    const ascending = /^created_at\s+asc$/i.test(c.req.query('sort') ?? '')
    const filter = c.req.query('filter') ?? ''
    const { users, total } = await listUsers(ctx.pool, { page, perPage, ascending, filter })
    addPageHeaders(c, { page, perPage, total })
    return c.json({ users: users.map(renderUser), aud: 'authenticated' })
  })

  app.post('/admin/users', async (c) => {
    await requireAdmin(ctx, c)
    const body = await readBody(c, userFields)
    const email = await checkNewUser(ctx, body)
    const ban = readBan(body)
    const passwordHash = body.password_hash || (body.password ? await ctx.passwords.hash(body.password) : '')
    const user = await transact(ctx.pool, async (client) => {
      const made = newUser({ email, passwordHash, data: body.user_metadata ?? {} })
      const created = await createUser(client, {
        ...made,
        id: body.id || randomUUID(),
        role: body.role || made.role,
        appMetadata: { ...made.appMetadata, ...body.app_metadata },
      })
      await createOwnIdentity(client, created.id, { provider: 'email', email, verified: false })
      await writeAudit(client, null, 'user_signedup', originOf(c).ip, {
        user_id: created.id,
        user_email: email,
      })
      if (body.email_confirm) await confirmUser(client, created)
      if (ban) await setBan(client, created.id, ban.until)
      return (await findUserById(client, created.id))!
    }).catch((error: unknown) => {
      if ((error as { code?: string }).code === '23505') throw duplicate(error)
      throw asDatabaseRefusal(error)
    })
    return c.json(renderUser(user))
  })

  app.get('/admin/users/:id', async (c) => {
    await requireAdmin(ctx, c)
    return c.json(renderUser(await loadUser(ctx, c)))
  })

  app.put('/admin/users/:id', async (c) => {
    await requireAdmin(ctx, c)
    const found = await loadUser(ctx, c)
    const body = await readBody(c, userFields)
    const email = body.email ? validateEmail(body.email) : ''
    if (body.phone) throw new AuthError(400, 'phone_provider_disabled', 'Unsupported phone provider')
    if (body.password !== undefined) await checkPasswordStrength(body.password, ctx.settings.password)
    const ban = readBan(body)
    const hash = body.password ? await ctx.passwords.hash(body.password) : null
    const user = await transact(ctx.pool, async (client) => {
      const user = await lockUser(client, found.id)
      if (!user) throw new AuthError(404, 'user_not_found', 'User not found')
      if (body.role) await client.query('update auth.users set role = $2 where id = $1', [user.id, body.role])
      if (body.email_confirm) await confirmUser(client, user)
      if (hash) await setPassword(client, user.id, hash, null)
      if (email) await setAddress(client, user, email, body.email_confirm ?? false)
      if (body.app_metadata) await mergeAppMetadata(client, user, body.app_metadata)
      if (body.user_metadata) await mergeUserMetadata(client, user, body.user_metadata)
      if (ban) await setBan(client, user.id, ban.until)
      await writeAudit(client, null, 'user_modified', originOf(c).ip, {
        user_id: user.id,
        user_email: user.email,
      })
      return (await findUserById(client, user.id))!
    }).catch((error: unknown) => {
      throw (error as { code?: string }).code === '23505' ? duplicate(error) : error
    })
    return c.json(renderUser(user))
  })

  app.delete('/admin/users/:id', async (c) => {
    await requireAdmin(ctx, c)
    const user = await loadUser(ctx, c)
    const body = await readBody(c, { should_soft_delete: 'boolean' }, { optional: true })
    if (body.should_soft_delete) {
      throw new AuthError(501, 'not_implemented', 'This home does not delete users softly yet.')
    }
    await transact(ctx.pool, async (client) => {
      const traits = { user_id: user.id, user_email: user.email }
      await writeAudit(client, null, 'user_deleted', originOf(c).ip, traits)
      await client.query('delete from auth.users where id = $1', [user.id])
    })
    return c.json({})
  })
}

/** Checks what a new account is to be; gives its address. */
async function checkNewUser(ctx: AuthContext, body: AdminUser): Promise<string> {
  if (!body.email && !body.phone) throw invalid('Cannot create a user without either an email or phone')
  if (body.phone) throw new AuthError(400, 'phone_provider_disabled', 'Unsupported phone provider')
  const email = validateEmail(body.email ?? '')
  if (await findUserOfAddress(ctx.pool, email)) throw duplicate()
  if (body.password !== undefined && body.password_hash) {
    throw invalid('Only a password or a password hash should be provided')
  }
  if (body.password_hash && !isPasswordHash(body.password_hash)) {
    throw invalid('password_hash must be an argon2id, argon2i or bcrypt hash')
  }
  if (Buffer.byteLength(body.password ?? '') > 72) throw invalid('bcrypt: password length exceeds 72 bytes')
  if (body.id && !isUuid(body.id)) throw invalid('ID must conform to the uuid v4 format')
  if (/^[0-]+$/.test(body.id ?? '') && body.id) throw invalid('ID cannot be a nil uuid')
  return email
}

export async function loadUser(ctx: AuthContext, c: AuthRequest): Promise<UserRow> {
  const id = c.req.param('id') ?? ''
  if (!isUuid(id)) throw new AuthError(404, 'validation_failed', 'user_id must be an UUID')
  const user = await findUserById(ctx.pool, id)
  if (!user) throw new AuthError(404, 'user_not_found', 'User not found')
  return user
}

/** A new address is the administrator's word: what was on its way to the old one ends. */
async function setAddress(client: pg.Client, user: UserRow, email: string, verified: boolean): Promise<void> {
  await setOwnIdentity(client, user.id, { provider: 'email', email, verified })
  await client.query(
    `update auth.users set email = $2, is_anonymous = is_anonymous and not $3, updated_at = now() where id = $1`,
    [user.id, email, verified],
  )
  if (email !== user.email) await clearTokens(client, user.id)
}

function readBan(body: AdminUser): { until: Date | null } | null {
  if (!body.ban_duration) return null
  if (body.ban_duration === 'none') return { until: null }
  const duration = parseDuration(body.ban_duration)
  if (duration === null) throw invalid('invalid format for ban duration')
  if (duration === 0) return { until: null }
  // As far as a date reaches, and PostgreSQL with it.
  return { until: new Date(Math.min(Date.now() + duration, Date.UTC(9999, 0))) }
}

async function setBan(client: pg.Client, userId: string, until: Date | null): Promise<void> {
  await client.query('update auth.users set banned_until = $2, updated_at = now() where id = $1', [
    userId,
    until,
  ])
}

function readCount(c: AuthRequest, name: string, fallback: number): number {
  const text = c.req.query(name)
  if (text === undefined || text === '') return fallback
  const value = Number(text)
  if (!/^\d{1,9}$/.test(text) || value === 0) throw invalid(`Bad Pagination Parameters: ${name}`)
  return name === 'per_page' ? Math.min(value, 1000) : value
}

function addPageHeaders(c: AuthRequest, o: { page: number; perPage: number; total: number }): void {
  const last = Math.ceil(o.total / o.perPage)
  const link = (page: number, rel: string): string => {
    const query = new URLSearchParams({ ...c.req.query(), page: String(page) })
    // The official client reads the number after the first "=", so "page" must come first.
    query.sort()
    return `</admin/users?${query.toString()}>; rel="${rel}"`
  }
  c.header('Link', [...(last > o.page ? [link(o.page + 1, 'next')] : []), link(last, 'last')].join(', '))
  c.header('X-Total-Count', String(o.total))
}
