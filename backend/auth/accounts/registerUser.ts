import type pg from 'pg'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../asking/AuthError.ts'
import { writeAudit } from '../audit.ts'
import { askHook } from '../hooks/askHook.ts'
import { mailUser } from '../mail/mailUser.ts'
import { createOwnIdentity } from '../rows/createIdentity.ts'
import { createUser, newUser, previewUser, type NewUser } from '../rows/createUser.ts'
import { findUserById, findUserOfAddress, lockUser } from '../rows/findUser.ts'
import { storeFlow, type Challenge } from '../rows/flowState.ts'
import { confirmUser, mergeUserMetadata, refreshProviders } from '../rows/updateUser.ts'
import type { UserRow } from '../rows/user.ts'

export interface Registration {
  email: string
  /** Empty for people who come by link alone. */
  passwordHash: string
  data: Record<string, unknown>
  challenge: Challenge | null
  redirectTo: string
  ip: string
}

export type Registered =
  /** There is a confirmed account already; nothing was changed. */
  | { outcome: 'exists'; user: UserRow }
  /** Confirmed at once, as the configuration says. */
  | { outcome: 'confirmed'; user: UserRow }
  /** A mail with a link is on its way. */
  | { outcome: 'mailed'; user: UserRow }

/** Asks the before-user-created hook, where there is one. Throws what it refuses with. */
export async function askBeforeUserCreated(
  ctx: AuthContext,
  client: pg.Client,
  user: NewUser,
  ip: string,
): Promise<void> {
  await askHook(ctx, client, 'before_user_created', { user: previewUser(user) }, { ip })
}

/** Makes an account, or takes up one that was never confirmed, and confirms it or mails a link. */
export async function registerUser(
  ctx: AuthContext,
  client: pg.Client,
  later: (deed: () => void) => void,
  o: Registration,
): Promise<Registered> {
  const existing = await findUserOfAddress(client, o.email)
  if (existing?.email_confirmed_at) return { outcome: 'exists', user: existing }
  const user = existing ? await takeUp(client, existing, o) : await makeUser(ctx, client, o)
  if (ctx.settings.email.autoconfirm) {
    await writeAudit(client, user, 'user_signedup', o.ip, { provider: 'email' })
    await confirmUser(client, user)
    return { outcome: 'confirmed', user: (await findUserById(client, user.id))! }
  }
  await writeAudit(client, user, 'user_confirmation_requested', o.ip, { provider: 'email' })
  if (o.challenge) {
    await storeFlow(client, {
      userId: user.id,
      challenge: o.challenge,
      method: 'email/signup',
      provider: 'email',
    })
  }
  const { redirectTo } = o
  await mailUser(ctx, client, { letter: 'confirmation', user, pkce: o.challenge !== null, redirectTo, later })
  return { outcome: 'mailed', user: (await findUserById(client, user.id))! }
}

async function makeUser(ctx: AuthContext, client: pg.Client, o: Registration): Promise<UserRow> {
  const made = newUser(o)
  await askBeforeUserCreated(ctx, client, made, o.ip)
  const user = await createUser(client, made)
  const contact = { provider: 'email', email: o.email, verified: false } as const
  const identity = await createOwnIdentity(client, user.id, contact, o.data)
  await mergeUserMetadata(client, user, identity.identity_data)
  await refreshProviders(client, user.id)
  return (await findUserById(client, user.id))!
}

/**
 * An account that nobody proved to own. Its words stay as they are, for they may be anyone's. But who now
 * comes by link must not inherit a password that a stranger chose for this address.
 */
async function takeUp(client: pg.Client, existing: UserRow, o: Registration): Promise<UserRow> {
  const user = (await lockUser(client, existing.id)) ?? existing
  if (o.passwordHash === '' && user.encrypted_password) {
    await client.query(`update auth.users set encrypted_password = '', updated_at = now() where id = $1`, [
      user.id,
    ])
  }
  return user
}

/**
 * Runs `work` again once when two requests made the same account at once: the second then finds it.
 */
export async function withoutRace<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code, constraint } = error as { code?: string; constraint?: string }
    if (code !== '23505' || !/^(users_email_partial_key|identities_)/.test(constraint ?? '')) throw error
    return work()
  }
}

/** Says why a trigger or constraint of the installation refused an account; hosted answers 500 too. */
export function asDatabaseRefusal(error: unknown): unknown {
  const state = (error as { code?: unknown } | null)?.code
  if (typeof state !== 'string' || error instanceof AuthError) return error
  const custom = /^PT(\d{3})$/.exec(state)
  if (custom) return new AuthError(Number(custom[1]), '', (error as Error).message, { cause: error })
  if (state === 'P0001' || state.startsWith('23')) {
    return new AuthError(500, 'unexpected_failure', 'Database error saving new user', { cause: error })
  }
  return error
}
