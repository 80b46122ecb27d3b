import { AuthError } from '../http/AuthError.ts'
import { asDatabaseRefusal } from '../accounts/savingFaults.ts'

export function emailTaken(cause?: unknown): AuthError {
  const message = 'A user with this email address has already been registered'
  return new AuthError(422, 'email_exists', message, { cause })
}

export function phoneTaken(cause?: unknown): AuthError {
  return new AuthError(422, 'phone_exists', 'Phone number already registered by another user', { cause })
}

/**
 * The error for an account that the database rejects: a concurrent request, an id that is in use, or a trigger.
 */
export function asRefusal(error: unknown): unknown {
  const { code, constraint = '' } = (error ?? {}) as { code?: string; constraint?: string }
  if (code !== '23505') return asDatabaseRefusal(error)
  if (constraint === 'users_phone_key') return phoneTaken(error)
  // Hosted Supabase answers 500 to an id that is in use.
  if (constraint === 'users_pkey') {
    return new AuthError(422, 'user_already_exists', 'User already registered', { cause: error })
  }
  return constraint === 'users_email_partial_key' ? emailTaken(error) : asDatabaseRefusal(error)
}
