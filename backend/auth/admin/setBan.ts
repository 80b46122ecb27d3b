import type { Transaction } from '../Transaction.ts'

/** Bans a user until this time; null ends a ban. */
export async function setBan(tx: Transaction, userId: string, until: Date | null): Promise<void> {
  await tx.query('update auth.users set banned_until = $2, updated_at = now() where id = $1', [userId, until])
}
