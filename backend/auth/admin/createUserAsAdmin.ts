import { randomUUID } from 'node:crypto'
import type { AuthContext, TransactionContext } from '../AuthContext.ts'
import { invalid } from '../http/AuthError.ts'
import { isUuid } from '../http/authenticate.ts'
import { writeAudit } from '../audit.ts'
import { isPasswordHash } from '../passwords/passwords.ts'
import { createContactIdentity } from '../rows/createIdentity.ts'
import { createUser, buildNewUser } from '../rows/createUser.ts'
import { findUserById, findUserByPhone, findOwnerOfEmail } from '../rows/findUser.ts'
import { confirmPhone, confirmEmail, mergeAppMetadata, setBan } from '../rows/updateUser.ts'
import type { UserRow } from '../rows/user.ts'
import { transact } from '../transact.ts'
import { adminPhoneTakenError, toConflictError } from './conflictErrors.ts'
import { emailTakenError } from '../accounts/databaseErrors.ts'
import { readBan, readContacts, type UserFields } from './userFields.ts'

/**
 * Creates an account with an administrator's values. An account without a given password has none; hosted Supabase
 * sets a random one.
 * @param aud audience of its tokens, if the body has none
 * @throws AuthError 400 validation_failed, 422 email_exists, phone_exists, user_already_exists
 */
export async function createUserAsAdmin(
  ctx: TransactionContext & Pick<AuthContext, 'passwords'>,
  body: UserFields,
  o: { aud: string; ip: string },
): Promise<UserRow> {
  if (!body.email && !body.phone) throw invalid('Cannot create a user without either an email or phone')
  const { email, phone } = readContacts(body)
  if (email && (await findOwnerOfEmail(ctx.pool, email))) throw emailTakenError()
  if (phone && (await findUserByPhone(ctx.pool, phone))) throw adminPhoneTakenError()
  checkPasswordFields(body)
  checkUserId(body.id ?? '')
  const ban = readBan(body)
  const passwordHash = body.password_hash || (body.password ? await ctx.passwords.hash(body.password) : '')
  const values = buildNewUser({ email, phone, passwordHash, data: body.user_metadata ?? {} })
  const providers = [...(email ? ['email'] : []), ...(phone ? ['phone'] : [])]
  return transact(ctx, async (tx) => {
    const user = await createUser(tx, {
      ...values,
      id: body.id || randomUUID(),
      role: body.role?.trim() || values.role,
      appMetadata: { provider: providers[0], providers },
    })
    const aud = body.aud || o.aud
    if (aud !== user.aud) await tx.query('update auth.users set aud = $2 where id = $1', [user.id, aud])
    if (email) await createContactIdentity(tx, user.id, { provider: 'email', email, verified: false })
    if (phone) await createContactIdentity(tx, user.id, { provider: 'phone', phone, verified: false })
    await writeAudit(tx, null, 'user_signedup', o.ip, {
      user_id: user.id,
      user_email: email,
      user_phone: phone,
      provider: providers[0],
    })
    if (body.app_metadata) await mergeAppMetadata(tx, user, body.app_metadata)
    if (body.email_confirm) await confirmEmail(tx, user)
    if (body.phone_confirm) await confirmPhone(tx, user.id)
    if (ban !== undefined) await setBan(tx, user.id, ban)
    return (await findUserById(tx, user.id))!
  }).catch((error: unknown) => {
    throw toConflictError(error)
  })
}

function checkPasswordFields(body: UserFields): void {
  if (body.password !== undefined && body.password_hash) {
    throw invalid('Only a password or a password hash should be provided')
  }
  // Hosted Supabase responds with 500 to an invalid hash.
  if (body.password_hash && !isPasswordHash(body.password_hash)) {
    throw invalid('password_hash must be an argon2id, argon2i, bcrypt or Firebase scrypt hash')
  }
  if (Buffer.byteLength(body.password ?? '') > 72) throw invalid('bcrypt: password length exceeds 72 bytes')
}

function checkUserId(id: string): void {
  if (id === '') return
  if (!isUuid(id)) throw invalid('ID must conform to the uuid v4 format')
  if (/^[0-]+$/.test(id)) throw invalid('ID cannot be a nil uuid')
}
