import { asCaller } from '../../postgres/connections/asCaller.ts'
import { failures } from '../failures.ts'
import type { Operation } from '../operations.ts'
import { settingsFor } from '../settingsFor.ts'
import { serviceFor } from '../Storage.ts'
import type { Storage, StorageContext } from '../Storage.ts'
import { selectBucket } from './rows.ts'
import type { BucketRow } from './rows.ts'

/**
 * The bucket whatever the caller may see of it: its limits and whether it is public bind everyone.
 * Throws NoSuchBucket.
 */
export async function findBucket(
  storage: Storage,
  c: StorageContext,
  operation: Operation,
  id: string,
): Promise<BucketRow> {
  const [found] = await asCaller(
    storage.pool,
    { caller: serviceFor(c), readOnly: true, settings: settingsFor(c, operation) },
    [selectBucket(id)],
  )
  const bucket = found!.rows[0] as BucketRow | undefined
  if (!bucket) throw failures.noSuchBucket()
  return bucket
}
