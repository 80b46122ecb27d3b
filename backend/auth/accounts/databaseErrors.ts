import type { TransactionContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import type { Transaction } from '../Transaction.ts'
import { transact } from '../transact.ts'

/** @param cause only logged */
export function emailTakenError(cause?: unknown): AuthError {
  const message = 'A user with this email address has already been registered'
  return new AuthError(422, 'email_exists', message, { cause })
}

/** @param cause only logged */
export function phoneTakenError(cause?: unknown): AuthError {
  const message = 'A user with this phone number has already been registered'
  return new AuthError(422, 'phone_exists', message, { cause })
}

/** Runs `work`, which may create an account, in a transaction; with toDatabaseError and retryUniqueViolation. */
export function transactAccount<T>(
  ctx: TransactionContext,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return retryUniqueViolation(() => transact(ctx, work)).catch((error: unknown) => {
    throw toDatabaseError(error)
  })
}

/**
 * Runs `work` again once if it failed because another request created the same account at the same time: the
 * second run finds that account.
 */
export async function retryUniqueViolation<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code, constraint } = error as { code?: string; constraint?: string }
    const isAccountConstraint = /^(users_email_partial_key|users_phone_key|identities_)/.test(
      constraint ?? '',
    )
    if (code !== '23505' || !isAccountConstraint) throw error
    return work()
  }
}

/**
 * The error for a trigger or constraint of the database that rejected an account; hosted Supabase responds with
 * 500 too.
 */
export function toDatabaseError(error: unknown): unknown {
  const state = (error as { code?: unknown } | null)?.code
  if (typeof state !== 'string' || error instanceof AuthError) return error
  const custom = /^PT(\d{3})$/.exec(state)
  if (custom) return new AuthError(Number(custom[1]), '', (error as Error).message, { cause: error })
  if (state === 'P0001' || state.startsWith('23')) {
    return new AuthError(500, 'unexpected_failure', 'Database error saving new user', { cause: error })
  }
  return error
}
