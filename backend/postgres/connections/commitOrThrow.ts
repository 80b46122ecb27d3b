import type { Client } from 'pg'

/**
 * Sends COMMIT and throws where the transaction was rolled back: PostgreSQL answers the COMMIT of a failed transaction
 * with the tag ROLLBACK and no error, which would look like success where the failure itself was swallowed.
 */
export async function commitOrThrow(client: Client): Promise<void> {
  const { command } = await client.query('commit')
  if (command !== 'COMMIT')
    throw new Error('The transaction was rolled back, since a statement in it had failed.')
}
