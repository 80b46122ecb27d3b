import type pg from 'pg'
import type { AuthApp, AuthContext } from '../AuthContext.ts'
import { validatePhone } from '../accounts/validateEmail.ts'
import { AuthError } from '../http/AuthError.ts'
import { isUuid, readClientInfo, requireAdmin, type AuthRequest } from '../http/authenticate.ts'
import { readBody } from '../http/readBody.ts'
import { writeAudit } from '../audit.ts'
import { checkFactorName, nameTakenError, factorPhoneTakenError } from '../factors/enrollFactor.ts'
import { findFactor, removeFactor, type Factor } from '../factors/factor.ts'
import { deletePasskey, listPasskeys, renderPasskey } from '../passkeys/passkey.ts'
import { findUserById, lockUser } from '../rows/findUser.ts'
import { renderFactor, type UserRow } from '../rows/user.ts'
import { transact } from '../transact.ts'
import { loadUser } from './adminUsers.ts'
import { notFound, readPasskeyId } from './passkeys.ts'

/** /admin/users/:id/factors and /passkeys: service keys list, change and delete second factors and passkeys. */
export function addAdminFactors(app: AuthApp, ctx: AuthContext): void {
  app.get('/admin/users/:id/factors', async (c) => {
    await requireAdmin(ctx, c)
    const user = await loadUser(ctx, c)
    return c.json(user.factors.map(renderFactor))
  })

  app.put('/admin/users/:id/factors/:factor', async (c) => {
    const { user, factor } = await loadFactor(ctx, c)
    const body = await readBody(c, { friendly_name: 'string', phone: 'string' })
    const name = checkFactorName(body.friendly_name ?? '') || factor.friendlyName
    const phone = body.phone && factor.type === 'phone' ? validatePhone(body.phone) : factor.phone
    const changed = await transact(ctx, async (tx) => {
      await tx.query(
        `update auth.mfa_factors set friendly_name = $2, phone = $3, updated_at = clock_timestamp() where id = $1`,
        [factor.id, name, phone],
      )
      await writeAudit(tx, null, 'factor_updated', readClientInfo(c).ip, {
        user_id: user.id,
        factor_id: factor.id,
        factor_type: factor.type,
      })
      return findUserById(tx, user.id)
    }).catch((error: unknown) => {
      const { constraint } = error as pg.DatabaseError
      if (constraint === 'mfa_factors_user_friendly_name_unique') throw nameTakenError(name)
      throw constraint === 'unique_phone_factor_per_user' ? factorPhoneTakenError() : error
    })
    return c.json(renderFactorOf(changed, factor.id))
  })

  app.delete('/admin/users/:id/factors/:factor', async (c) => {
    const { user, factor } = await loadFactor(ctx, c)
    await transact(ctx, async (tx) => {
      await lockUser(tx, user.id)
      const traits = { user_id: user.id, factor_id: factor.id }
      await writeAudit(tx, user, 'factor_deleted', readClientInfo(c).ip, traits)
      await removeFactor(tx, factor)
    })
    return c.json(renderFactorOf(user, factor.id))
  })

  app.get('/admin/users/:id/passkeys', async (c) => {
    await requireAdmin(ctx, c)
    const user = await loadUser(ctx, c)
    return c.json((await listPasskeys(ctx.pool, user.id)).map(renderPasskey))
  })

  app.delete('/admin/users/:id/passkeys/:passkey', async (c) => {
    await requireAdmin(ctx, c)
    const user = await loadUser(ctx, c)
    const id = readPasskeyId(c, 'passkey')
    await transact(ctx, async (tx) => {
      if (!(await deletePasskey(tx, id, user.id))) throw notFound()
      const traits = { user_id: user.id, passkey_id: id }
      await writeAudit(tx, null, 'passkey_deleted', readClientInfo(c).ip, traits)
    })
    return c.body(null, 204)
  })
}

/** Throws AuthError 404 if the factor was deleted meanwhile. */
function renderFactorOf(user: UserRow | null, id: string): Record<string, unknown> {
  const row = user?.factors.find((one) => one.id === id)
  if (!row) throw new AuthError(404, 'mfa_factor_not_found', 'Factor not found')
  return renderFactor(row)
}

async function loadFactor(ctx: AuthContext, c: AuthRequest): Promise<{ user: UserRow; factor: Factor }> {
  await requireAdmin(ctx, c)
  const user = await loadUser(ctx, c)
  const id = c.req.param('factor') ?? ''
  if (!isUuid(id)) throw new AuthError(404, 'validation_failed', 'factor_id must be an UUID')
  const factor = await findFactor(ctx.pool, user.id, id)
  if (!factor) throw new AuthError(404, 'mfa_factor_not_found', 'Factor not found')
  return { user, factor }
}
