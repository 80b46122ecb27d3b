import type { AuthApp, AuthContext } from '../AuthContext.ts'
import { changeUserAsAdmin } from '../admin/changeUserAsAdmin.ts'
import { createUserAsAdmin } from '../admin/createUserAsAdmin.ts'
import { addPageHeaders, readPage, readAscending } from '../admin/paging.ts'
import { deleteUser } from '../admin/deleteUser.ts'
import { readUserFields } from '../admin/userFields.ts'
import { AuthError } from '../http/AuthError.ts'
import { isUuid, readClientInfo, requireAdmin, type AuthRequest } from '../http/authenticate.ts'
import { readBody } from '../http/readBody.ts'
import { findUserById, listUsers } from '../rows/findUser.ts'
import { renderUser, type UserRow } from '../rows/user.ts'

/** /admin/users: service keys list, create, change and delete users. */
export function addAdminUsers(app: AuthApp, ctx: AuthContext): void {
  app.get('/admin/users', async (c) => {
    await requireAdmin(ctx, c)
    const ascending = readAscending(c)
    const page = readPage(c)
    const aud = audienceOf(c)
    const filter = c.req.query('filter') ?? ''
    const { users, total } = await listUsers(ctx.pool, { ...page, ascending, filter, aud })
    addPageHeaders(c, page, total)
    return c.json({ users: users.map(renderUser), aud })
  })

  app.post('/admin/users', async (c) => {
    await requireAdmin(ctx, c)
    const body = await readUserFields(c)
    const user = await createUserAsAdmin(ctx, body, { aud: audienceOf(c), ip: readClientInfo(c).ip })
    return c.json(renderUser(user))
  })

  app.get('/admin/users/:id', async (c) => {
    await requireAdmin(ctx, c)
    return c.json(renderUser(await loadUser(ctx, c)))
  })

  app.put('/admin/users/:id', async (c) => {
    await requireAdmin(ctx, c)
    const { id } = await loadUser(ctx, c)
    const body = await readUserFields(c)
    return c.json(renderUser(await changeUserAsAdmin(ctx, id, body, readClientInfo(c).ip)))
  })

  app.delete('/admin/users/:id', async (c) => {
    await requireAdmin(ctx, c)
    const { id } = await loadUser(ctx, c)
    const body = await readBody(c, { should_soft_delete: 'boolean' }, { optional: true })
    await deleteUser(ctx, id, { soft: body.should_soft_delete ?? false, ip: readClientInfo(c).ip })
    return c.json({})
  })
}

/** The audience of a user's tokens: servers with several audiences set it in a header. */
function audienceOf(c: AuthRequest): string {
  return c.req.header('x-jwt-aud') || 'authenticated'
}

/** Finds the user of the path. Throws AuthError 404 validation_failed, user_not_found. */
export async function loadUser(ctx: AuthContext, c: AuthRequest): Promise<UserRow> {
  const id = c.req.param('id') ?? ''
  if (!isUuid(id)) throw new AuthError(404, 'validation_failed', 'user_id must be an UUID')
  const user = await findUserById(ctx.pool, id)
  if (!user) throw new AuthError(404, 'user_not_found', 'User not found')
  return user
}
