import type { Transaction } from '../Transaction.ts'
import type { MailContext } from '../AuthContext.ts'
import type { AuthError } from '../http/AuthError.ts'
import { emailTakenError, phoneTakenError } from './databaseErrors.ts'
import { writeAudit } from '../audit.ts'
import { notifyUser } from '../mail/notifyUser.ts'
import { findUserById, findOwnerOfEmail } from '../rows/findUser.ts'
import {
  deleteOneTimeTokens,
  confirmEmail,
  storeProviderNames,
  setContactIdentity,
} from '../rows/updateUser.ts'
import type { UserRow } from '../rows/user.ts'

/** Whose contact changes, and the address of the request. */
export interface ContactChange {
  /** Locked. */
  user: UserRow
  ip: string
}

/**
 * Sets a confirmed email address as the user's own. An anonymous user becomes a permanent one.
 * @throws AuthError 422 email_exists if it has become another user's
 */
export async function changeEmail(
  ctx: MailContext,
  tx: Transaction,
  email: string,
  { user, ip }: ContactChange,
): Promise<void> {
  await writeAudit(tx, user, 'user_modified', ip)
  if (await findOwnerOfEmail(tx, email, user.id)) throw emailTakenError()
  await setContactIdentity(tx, user.id, { provider: 'email', email, verified: true })
  await tx
    .query(
      `update auth.users set email = $2, email_change = '', email_change_token_current = '',
         email_change_token_new = '', email_change_confirm_status = 0, is_anonymous = false,
         updated_at = now()
       where id = $1`,
      [user.id, email],
    )
    .catch(onUniqueViolation(emailTakenError))
  await deleteOneTimeTokens(tx, user.id)
  if (user.email_confirmed_at === null) await confirmEmail(tx, user)
  await storeProviderNames(tx, user.id)
  if (user.email && user.email !== email) {
    const values = { OldEmail: user.email }
    const changed = (await findUserById(tx, user.id))!
    await notifyUser(ctx, tx, { notification: 'email_changed', user: changed, values, ip })
  }
}

/**
 * Sets a confirmed phone number as the user's own. An anonymous user becomes a permanent one.
 * @throws AuthError 422 phone_exists if it has become another user's
 */
export async function changePhone(
  ctx: MailContext,
  tx: Transaction,
  phone: string,
  { user, ip }: ContactChange,
): Promise<void> {
  await writeAudit(tx, user, 'user_modified', ip)
  const isFirst = await setContactIdentity(tx, user.id, { provider: 'phone', phone, verified: true })
  await tx
    .query(
      `update auth.users set phone = $2, phone_change = '', phone_change_token = '',
         phone_confirmed_at = now(), is_anonymous = false, updated_at = now()
       where id = $1`,
      [user.id, phone],
    )
    .catch(onUniqueViolation(phoneTakenError))
  await deleteOneTimeTokens(tx, user.id)
  await storeProviderNames(tx, user.id)
  const changed = (await findUserById(tx, user.id))!
  if (user.phone && user.phone !== phone) {
    const values = { OldPhone: user.phone }
    await notifyUser(ctx, tx, { notification: 'phone_changed', user: changed, values, ip })
  }
  if (isFirst) {
    const values = { Provider: 'phone' }
    await notifyUser(ctx, tx, { notification: 'identity_linked', user: changed, values, ip })
  }
}

/** Two users may confirm the same contact at once; the unique constraint rejects the second. */
function onUniqueViolation(createError: (cause: unknown) => AuthError): (error: unknown) => never {
  return (error) => {
    throw (error as { code?: string }).code === '23505' ? createError(error) : error
  }
}
