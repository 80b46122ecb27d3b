import type { Transaction } from '../Transaction.ts'
import type { HookContext, TransactionContext } from '../AuthContext.ts'
import { callHook } from '../hooks/callHook.ts'
import { transact } from '../transact.ts'
import { renderNewUser, type NewUser } from '../rows/createUser.ts'
import { renderUser, type UserRow } from '../rows/user.ts'

/**
 * Calls the before-user-created hook if there is one. The event has `confirms_email: false` if the server sends no codes by mail. Throws
 * the error with which the hook rejects the user.
 */
export async function callBeforeUserCreatedHook(
  ctx: HookContext,
  tx: Transaction,
  user: NewUser,
  ip: string,
): Promise<void> {
  const { sendsCodes } = ctx.settings.email
  const event = { user: renderNewUser(user), ...(sendsCodes ? {} : { confirms_email: false }) }
  await callHook(ctx, tx, 'before_user_created', event, { ip })
}

/**
 * Calls the after-user-created hook, if there is one, after the commit. It cannot reject the user: its errors
 * are only logged. Hosted Supabase then refuses the session of a user who was created, and does not call the
 * hook for users who need no confirmation.
 */
export function scheduleAfterUserCreatedHook(
  ctx: TransactionContext & HookContext,
  tx: Transaction,
  o: { user: UserRow; ip: string },
): void {
  if (!ctx.settings.hooks.after_user_created) return
  const { user, ip } = o
  const call = (hookTx: Transaction) =>
    callHook(ctx, hookTx, 'after_user_created', { user: renderUser(user) }, { ip })
  tx.afterCommit(() => {
    transact(ctx, call).catch((error: Error) => {
      ctx.log.warn('auth.hook_failed', { hook: 'after_user_created', reason: error.message })
    })
  })
}
