import { readBucketName } from '../object/readTarget.ts'
import { authenticate } from '../authenticate.ts'
import { errors } from '../errors.ts'
import { removeRows } from '../object/writing/deleteObject.ts'
import { operations } from '../operations.ts'
import { requestSettings } from '../requestSettings.ts'
import type { Storage, StorageRoute } from '../Storage.ts'
import { findBucket } from './findBucket.ts'

/** Objects removed in one transaction. */
const batch = 1000

/** `POST /bucket/:bucket/empty`: only for the service role. Removes the objects that exist at the time of the request. */
export const emptyBucket =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await authenticate(storage, c)
    if (caller.role !== 'service_role') throw errors.accessDenied('Access denied: Invalid role', 403)
    const id = readBucketName(c)
    await findBucket(storage, c, operations.emptyBucket, id)
    const settings = requestSettings(c, operations.emptyBucket)
    // Timestamps of rows have microseconds: rounded up, or objects of the current millisecond would stay.
    const before = new Date(Date.now() + 1)
    let removed: number
    do {
      const rows = await removeRows(
        storage,
        { caller, settings },
        {
          text: `delete from storage.objects where id in (
            select id from storage.objects where bucket_id = $1 and created_at <= $2 limit ${batch})
          returning name, version`,
          values: [id, before],
        },
      )
      removed = rows.length
    } while (removed === batch)
    return c.json({ message: 'Empty bucket has been queued. Completion may take up to an hour.' })
  }
