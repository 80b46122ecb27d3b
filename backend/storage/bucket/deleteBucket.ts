import { runAsCaller } from '../../postgres/connections/runAsCaller.ts'
import { readBucketName } from '../object/readTarget.ts'
import { authenticate } from '../authenticate.ts'
import { errors } from '../errors.ts'
import { operations } from '../operations.ts'
import { requestSettings } from '../requestSettings.ts'
import type { Storage, StorageRoute } from '../Storage.ts'
import { findBucket } from './findBucket.ts'

/**
 * `DELETE /bucket/:bucket`: needs SELECT and DELETE on buckets, and an empty bucket. The foreign key of
 * objects checks emptiness, so that no upload can come in between; objects that the caller can't see count too.
 */
export const deleteBucket =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await authenticate(storage, c)
    const id = readBucketName(c)
    await findBucket(storage, c, operations.deleteBucket, id)
    try {
      const [deleted] = await runAsCaller(
        storage.pool,
        { caller, settings: requestSettings(c, operations.deleteBucket) },
        [{ text: 'delete from storage.buckets where id = $1', values: [id] }],
      )
      if (deleted!.rowCount === 0) throw errors.noSuchBucket()
    } catch (error) {
      const { code, constraint } = error as { code?: string; constraint?: string }
      if (code === '23503' && constraint === 'objects_bucketId_fkey') throw errors.bucketNotEmpty()
      throw error
    }
    return c.json({ message: 'Successfully deleted' })
  }
