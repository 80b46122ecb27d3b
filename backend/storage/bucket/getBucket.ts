import { runAsCaller } from '../../postgres/connections/runAsCaller.ts'
import { authenticate } from '../authenticate.ts'
import { errors } from '../errors.ts'
import { operations } from '../operations.ts'
import { requestSettings } from '../requestSettings.ts'
import type { Storage, StorageRoute } from '../Storage.ts'
import { type BucketRow, renderBucket, selectBucket } from './bucketRows.ts'

/** `GET /bucket/:bucket`: needs SELECT on buckets. */
export const getBucket =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await authenticate(storage, c)
    const [found] = await runAsCaller(
      storage.pool,
      { caller, readOnly: true, settings: requestSettings(c, operations.getBucket) },
      [selectBucket(c.req.param('bucket') ?? '')],
    )
    const bucket = found!.rows[0] as BucketRow | undefined
    if (!bucket) throw errors.noSuchBucket()
    return c.json(renderBucket(bucket))
  }
