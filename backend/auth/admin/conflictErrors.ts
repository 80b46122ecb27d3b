import { AuthError } from '../http/AuthError.ts'
import { emailTakenError, toDatabaseError } from '../accounts/databaseErrors.ts'

export function adminPhoneTakenError(cause?: unknown): AuthError {
  return new AuthError(422, 'phone_exists', 'Phone number already registered by another user', { cause })
}

/**
 * The error for an account that the database rejects: a concurrent request, an id that is in use, or a trigger.
 */
export function toConflictError(error: unknown): unknown {
  const { code, constraint = '' } = (error ?? {}) as { code?: string; constraint?: string }
  if (code !== '23505') return toDatabaseError(error)
  if (constraint === 'users_phone_key') return adminPhoneTakenError(error)
  // Hosted Supabase responds with 500 to an id that is in use.
  if (constraint === 'users_pkey') {
    return new AuthError(422, 'user_already_exists', 'User already registered', { cause: error })
  }
  return constraint === 'users_email_partial_key' ? emailTakenError(error) : toDatabaseError(error)
}
