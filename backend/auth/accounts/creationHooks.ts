import type pg from 'pg'
import type { AuthContext } from '../AuthContext.ts'
import { askHook } from '../hooks/askHook.ts'
import { transact } from '../transact.ts'
import { previewUser, type NewUser } from '../rows/createUser.ts'
import { renderUser, type UserRow } from '../rows/user.ts'

/** Asks the before-user-created hook, where there is one. Throws what it refuses with. */
export async function askBeforeUserCreated(
  ctx: AuthContext,
  client: pg.Client,
  user: NewUser,
  ip: string,
): Promise<void> {
  await askHook(ctx, client, 'before_user_created', { user: previewUser(user) }, { ip })
}

/**
 * Tells the after-user-created hook, where there is one, once the account stands. It has no say in that: what it
 * answers, or that it fails, is logged. Hosted then refuses the session of a person who was let in, and tells it of
 * nobody whose account needs no confirmation.
 */
export function tellUserCreated(
  ctx: AuthContext,
  o: { user: UserRow; ip: string; later: (deed: () => void) => void },
): void {
  if (!ctx.settings.hooks.after_user_created) return
  const { user, ip } = o
  const tell = (client: pg.Client) =>
    askHook(ctx, client, 'after_user_created', { user: renderUser(user) }, { ip })
  o.later(() => {
    transact(ctx, tell).catch((error: Error) => {
      ctx.log.warn('auth.hook_failed', { hook: 'after_user_created', reason: error.message })
    })
  })
}
