import { asCaller } from '../../postgres/connections/asCaller.ts'
import { bucketOf } from '../bucketOf.ts'
import { callerOf } from '../callerOf.ts'
import { failures } from '../failures.ts'
import { JsonBody } from '../JsonBody.ts'
import { operations } from '../operations.ts'
import { settingsFor } from '../settingsFor.ts'
import type { Storage, StorageRoute } from '../Storage.ts'
import { readLimits } from './readLimits.ts'
import { updateBucketRow } from './rows.ts'

/** `PUT /bucket/:bucket`: needs SELECT and UPDATE on buckets. */
export const updateBucket =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await callerOf(storage, c)
    const id = bucketOf(c)
    const body = await JsonBody.read(c.env.incoming)
    const change = { isPublic: body.optionalFlag('public'), ...readLimits(storage, body) }
    if (Object.values(change).every((value) => value === undefined)) throw failures.noContentProvided()
    const [updated] = await asCaller(
      storage.pool,
      { caller, settings: settingsFor(c, operations.updateBucket) },
      [updateBucketRow(id, change)],
    )
    if (updated!.rowCount === 0) throw failures.noSuchBucket()
    return c.json({ message: 'Successfully updated' })
  }
