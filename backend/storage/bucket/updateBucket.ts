import { asCaller } from '../../postgres/connections/asCaller.ts'
import { readBucketName } from '../bucketOf.ts'
import { authenticate } from '../authenticate.ts'
import { errors } from '../errors.ts'
import { JsonBody } from '../JsonBody.ts'
import { operations } from '../operations.ts'
import { requestSettings } from '../requestSettings.ts'
import type { Storage, StorageRoute } from '../Storage.ts'
import { readLimits } from './readLimits.ts'
import { updateBucketRow } from './rows.ts'

/** `PUT /bucket/:bucket`: needs SELECT and UPDATE on buckets. */
export const updateBucket =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await authenticate(storage, c)
    const id = readBucketName(c)
    const body = await JsonBody.read(c.env.incoming)
    const change = { isPublic: body.optionalFlag('public'), ...readLimits(storage, body) }
    if (Object.values(change).every((value) => value === undefined)) throw errors.noContentProvided()
    const [updated] = await asCaller(
      storage.pool,
      { caller, settings: requestSettings(c, operations.updateBucket) },
      [updateBucketRow(id, change)],
    )
    if (updated!.rowCount === 0) throw errors.noSuchBucket()
    return c.json({ message: 'Successfully updated' })
  }
