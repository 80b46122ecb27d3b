import type { Client } from 'pg'
import type { Caller } from '../../../../wire/claims.ts'
import { upsertObject } from '../rows.ts'
import type { ObjectDraft } from '../rows.ts'

/**
 * Checks as the caller, within a transaction of the service that holds the lock of the name, whether this object may be
 * replaced. The check before the upload was about the row at that time, or none: without this, an upload to a free name
 * could replace an object that somebody else stored there meanwhile. Leaves the transaction unchanged; throws the error
 * of the policies.
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
