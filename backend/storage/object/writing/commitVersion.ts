import type { Client } from 'pg'
import type { Caller } from '../../../../wire/claims.ts'
import { callerKey } from '../../../budgets/callerKey.ts'
import { transactAsCaller } from '../../../postgres/connections/runAsCaller.ts'
import { type Storage, serviceCaller } from '../../Storage.ts'
import { errors } from '../../errors.ts'
import { toStorageError } from '../../toStorageError.ts'
import {
  type ObjectDraft,
  type ObjectRow,
  insertObject,
  lockName,
  selectReplaced,
  upsertObject,
} from '../objectRows.ts'

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

/**
 * Commits received bytes as the object of that name: publishes the file, writes the row, then deletes the replaced file.
 * Row security was checked before; the write runs as the service, as upstream's, except that replacing an existing
 * object is checked once more as `writer`. Throws KeyAlreadyExists where the name was taken meanwhile without `upsert`.
 * @param draft.writer the caller; the service itself for a signed link
 */
export async function commitVersion(
  storage: Storage,
  settings: Record<string, string>,
  draft: ObjectDraft & { writer: Caller; upsert: boolean; from?: string },
): Promise<{ id: string }> {
  const { bytes } = storage
  let done: { id: string; replaced: string | null }
  try {
    await bytes.publish(draft.version, draft.from)
    const caller: Caller = { ...serviceCaller, budgetKey: callerKey(draft.writer) }
    done = await transactAsCaller(storage.pool, { caller, settings }, async (client) => {
      // Pipelined as far as possible. Where the name is taken the insert fails, and the found row explains why.
      const locking = client.query(lockName(draft.bucket, draft.name))
      const finding = client.query<Pick<ObjectRow, 'version'>>(selectReplaced(draft.bucket, draft.name))
      const inserting = draft.upsert ? null : client.query<{ id: string }>(insertObject(draft))
      inserting?.catch(() => {})
      const [, found] = await Promise.all([locking, finding])
      const current = found.rows[0]
      if (current && !draft.upsert) throw errors.keyAlreadyExists()
      if (current && draft.writer.role !== serviceCaller.role)
        await requireReplaceAllowed(client, draft.writer, draft)
      const { rows } = await (inserting ?? client.query<{ id: string }>(upsertObject(draft)))
      const replaced = current?.version ?? null
      if (replaced) await bytes.mark([replaced])
      return { id: rows[0]!.id, replaced }
    })
  } catch (error) {
    // Only a refusal proves that nothing was committed. After a lost connection the row may exist, so the
    // file stays and journal recovery at the next start queries the database.
    if (toStorageError(error).statusCode < 500 || toStorageError(error).statusCode === 507) {
      await bytes.discard(draft.version)
    }
    throw error
  }
  if (done.replaced) await bytes.discard(done.replaced)
  await bytes.settle(draft.version)
  return { id: done.id }
}
