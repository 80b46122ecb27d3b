import type { Client } from 'pg'

/**
 * COMMIT, or an error: PostgreSQL answers the COMMIT of a failed transaction with a friendly ROLLBACK, which
 * would pass for a success where the failure itself was swallowed.
 */
export async function commitOrThrow(client: Client): Promise<void> {
  const { command } = await client.query('commit')
  if (command !== 'COMMIT')
    throw new Error('The transaction was rolled back, since a statement in it had failed.')
}
