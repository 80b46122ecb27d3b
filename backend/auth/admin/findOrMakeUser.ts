import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { AuthContext } from '../AuthContext.ts'
import { askBeforeUserCreated, tellUserCreated } from '../accounts/creationHooks.ts'
import { createOwnIdentity } from '../rows/createIdentity.ts'
import { createUser, newUser } from '../rows/createUser.ts'
import { findUserByEmail, findUserById, lockUser } from '../rows/findUser.ts'
import type { UserRow } from '../rows/user.ts'
import { emailTaken } from './refusal.ts'
import { makeOnce } from '../transact.ts'

/**
 * The locked, unconfirmed account of an email address; created if there is none.
 * @throws AuthError 422 email_exists; the error of a before-user-created hook that rejects the user
 */
export async function findOrMakeUser(
  ctx: AuthContext,
  client: pg.Client,
  o: {
    email: string
    passwordHash: string
    data: Record<string, unknown>
    ip: string
    later: (deed: () => void) => void
  },
): Promise<{ user: UserRow; made: boolean }> {
  const found = await findUserByEmail(client, o.email)
  const known = found && (await lockUser(client, found.id))
  if (known?.email_confirmed_at) throw emailTaken()
  if (known) return { user: known, made: false }
  const wanted = newUser({
    id: makeOnce(client, 'user', randomUUID),
    email: o.email,
    passwordHash: o.passwordHash,
    data: o.data,
  })
  await askBeforeUserCreated(ctx, client, wanted, o.ip)
  const { id } = await createUser(client, wanted)
  await createOwnIdentity(client, id, { provider: 'email', email: o.email, verified: false })
  const user = (await findUserById(client, id))!
  tellUserCreated(ctx, { ...o, user })
  return { user, made: true }
}
