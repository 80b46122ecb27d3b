import type { Client } from 'pg'

/**
 * Everything that outlives a transaction, and that a function of a migration may have left by accident: a
 * setting that was not made local, a role, a lock of the session, a temporary table, a cursor held open, a
 * channel listened to. PREPARE stays: DISCARD would take our own prepared statements along, and a statement
 * that somebody else runs has his rights.
 */
const RESET_SESSION =
  'reset role; reset all; discard temp; close all; unlisten *; select pg_catalog.pg_advisory_unlock_all()'

/**
 * Leaves the session as the log-in made it. Sent behind the transaction and not waited for: the server runs it
 * before whatever comes next on the connection, while the caller has his answer already.
 */
export function resetSession(client: Client): void {
  client
    .query(RESET_SESSION)
    // The cancel of a caller who has left may hit this instead of his statement; it comes once.
    .catch(() => client.query(RESET_SESSION))
    .catch(() => {})
}
