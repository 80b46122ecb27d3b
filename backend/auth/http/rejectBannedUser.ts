import { isBanned, type UserRow } from '../rows/user.ts'
import { AuthError } from './AuthError.ts'

/**
 * Rejects requests of users whom an administrator has banned.
 * @throws AuthError 403 user_banned
 */
export function rejectBannedUser(user: UserRow): void {
  if (isBanned(user)) throw new AuthError(403, 'user_banned', 'User is banned')
}
