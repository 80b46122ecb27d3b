import { isBanned } from '../rows/user.ts'
import type { UserRow } from '../rows/user.ts'
import { AuthError } from './AuthError.ts'

/**
 * Ends a request for an account that an administrator has shut out for a time.
 *
 * @throws AuthError 403 user_banned
 */
export function refuseBanned(user: UserRow): void {
  if (isBanned(user)) throw new AuthError(403, 'user_banned', 'User is banned')
}
