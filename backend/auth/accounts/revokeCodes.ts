import type { Transaction } from '../Transaction.ts'

/**
 * Revokes codes that a browser or OAuth client of the user has not yet exchanged for a session: after a
 * sign-out everywhere or a new password they must not create one. On hosted Supabase they stay valid for
 * minutes. Must be called before the user is locked, since redeeming a code locks its row first; the user's
 * sessions must be deleted after it.
 */
export async function revokeCodes(tx: Transaction, userId: string): Promise<void> {
  await tx.query('delete from auth.flow_state where user_id = $1 and auth_code_issued_at is not null', [
    userId,
  ])
  await tx.query(
    `update auth.oauth_authorizations set status = 'expired' where user_id = $1 and status = 'approved'`,
    [userId],
  )
}
