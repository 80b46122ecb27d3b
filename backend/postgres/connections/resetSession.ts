import type { Client } from 'pg'

/**
 * Resets everything that outlives a transaction and that a function may have left: a setting that is not local, a role,
 * a session lock, a temporary table, a cursor WITH HOLD, a LISTEN. Prepared statements stay: DISCARD would also remove
 * those of this server, and a prepared statement runs with the rights of the role that executes it.
 */
const RESET_SESSION =
  'reset role; reset all; discard temp; close all; unlisten *; select pg_catalog.pg_advisory_unlock_all()'

/**
 * Restores the state of the session after login. Sent after the transaction and not awaited: the server runs it before
 * the next statement on the connection, while the caller already has the result.
 */
export function resetSession(client: Client): void {
  client
    .query(RESET_SESSION)
    // The cancel request of an aborted call may hit this instead of its statement; it is sent only once.
    .catch(() => client.query(RESET_SESSION))
    .catch(() => {})
}
