import type { Client } from 'pg'
import type { Caller } from '../../../../wire/claims.ts'
import { upsertObject } from '../rows.ts'
import type { ObjectDraft } from '../rows.ts'

/**
 * Asks as the caller, within a transaction of the service that holds the name, whether this very object may be
 * replaced. What was asked before the bytes came was asked of the row that was there then, or of none: without this, an
 * upload over a free name would replace what somebody else put there meanwhile. Leaves the transaction as it was;
 * throws what the policies say.
 */
export async function requireReplaceAllowed(
  client: Client,
  caller: Caller,
  draft: ObjectDraft,
): Promise<void> {
  await client.query('savepoint asked')
  await client.query({
    text: `select set_config('request.jwt.claims', $1, true), set_config('role', $2, true)`,
    values: [caller.claimsJson, caller.role],
  })
  await client.query(upsertObject(draft))
  await client.query('rollback to savepoint asked')
}
