import type { Transaction } from '../Transaction.ts'
import { randomUUID } from 'node:crypto'
import type { HookContext, TransactionContext } from '../AuthContext.ts'
import { callBeforeUserCreatedHook, scheduleAfterUserCreatedHook } from '../accounts/userCreatedHooks.ts'
import { createContactIdentity } from '../rows/createIdentity.ts'
import { createUser, buildNewUser } from '../rows/createUser.ts'
import { findUserByEmail, findUserById, lockUser } from '../rows/findUser.ts'
import type { UserRow } from '../rows/user.ts'
import { emailTakenError } from '../accounts/databaseErrors.ts'
import { makeOnce } from '../transact.ts'

/**
 * The locked, unconfirmed account of an email address; created if there is none.
 * @throws AuthError 422 email_exists; the error of a before-user-created hook that rejects the user
 */
export async function findOrCreateUnconfirmedUser(
  ctx: TransactionContext & HookContext,
  tx: Transaction,
  o: {
    email: string
    passwordHash: string
    data: Record<string, unknown>
    ip: string
  },
): Promise<{ user: UserRow; isNew: boolean }> {
  const found = await findUserByEmail(tx, o.email)
  const existing = found && (await lockUser(tx, found.id))
  if (existing?.email_confirmed_at) throw emailTakenError()
  if (existing) return { user: existing, isNew: false }
  const values = buildNewUser({
    id: makeOnce(tx, 'user', randomUUID),
    email: o.email,
    passwordHash: o.passwordHash,
    data: o.data,
  })
  await callBeforeUserCreatedHook(ctx, tx, values, o.ip)
  const { id } = await createUser(tx, values)
  await createContactIdentity(tx, id, { provider: 'email', email: o.email, verified: false })
  const user = (await findUserById(tx, id))!
  scheduleAfterUserCreatedHook(ctx, tx, { ...o, user })
  return { user, isNew: true }
}
