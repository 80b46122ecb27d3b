import { runAsCaller } from '../../postgres/connections/runAsCaller.ts'
import { errors } from '../errors.ts'
import type { Operation } from '../operations.ts'
import { requestSettings } from '../requestSettings.ts'
import { serviceCallerFor } from '../Storage.ts'
import type { Storage, StorageContext } from '../Storage.ts'
import { selectBucket } from './bucketRows.ts'
import type { BucketRow } from './bucketRows.ts'

/**
 * The bucket, independent of the caller's policies: its limits and `public` apply to everyone.
 * Throws NoSuchBucket.
 */
export async function findBucket(
  storage: Storage,
  c: StorageContext,
  operation: Operation,
  id: string,
): Promise<BucketRow> {
  const [found] = await runAsCaller(
    storage.pool,
    { caller: serviceCallerFor(c), readOnly: true, settings: requestSettings(c, operation) },
    [selectBucket(id)],
  )
  const bucket = found!.rows[0] as BucketRow | undefined
  if (!bucket) throw errors.noSuchBucket()
  return bucket
}
