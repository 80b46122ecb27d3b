import type pg from 'pg'

/** Bans a user until this time; null ends a ban. */
export async function setBan(client: pg.Client, userId: string, until: Date | null): Promise<void> {
  await client.query('update auth.users set banned_until = $2, updated_at = now() where id = $1', [
    userId,
    until,
  ])
}
