import type pg from 'pg'

/**
 * Ends codes of a person that a browser or a client holds and has not yet exchanged for a session: who is signed out
 * everywhere, or has chosen another password, must not be signed in by one a moment later. Hosted leaves them good for
 * minutes. To be called before the person is locked, as whoever redeems a code holds its row first; and their sessions
 * are to be ended after it.
 */
export async function endCodes(client: pg.Client, userId: string): Promise<void> {
  await client.query('delete from auth.flow_state where user_id = $1 and auth_code_issued_at is not null', [
    userId,
  ])
  await client.query(
    `update auth.oauth_authorizations set status = 'expired' where user_id = $1 and status = 'approved'`,
    [userId],
  )
}
