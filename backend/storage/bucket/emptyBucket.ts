import { runAsCaller } from '../../postgres/connections/runAsCaller.ts'
import { readBucketName } from '../object/readTarget.ts'
import { authenticate } from '../authenticate.ts'
import { errors } from '../errors.ts'
import { removeRows } from '../object/writing/deleteObject.ts'
import { operations } from '../operations.ts'
import { requestSettings } from '../requestSettings.ts'
import type { Storage, StorageRoute } from '../Storage.ts'
import { selectBucket } from './bucketRows.ts'

/** A removed object, or the last name of the page. */
interface PageRow {
  version: string | null
  last: string | null
}

/** Objects that one transaction checks and removes. */
const batch = 1000

/**
 * `POST /bucket/:bucket/empty`: needs SELECT on the bucket, and SELECT and DELETE on its objects. Removes the objects
 * that exist at the time of the request and that the caller may delete. Unlike upstream, which deletes all objects once
 * the caller can see one of them.
 */
export const emptyBucket =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await authenticate(storage, c)
    const id = readBucketName(c)
    const settings = requestSettings(c, operations.emptyBucket)
    const [seen] = await runAsCaller(storage.pool, { caller, readOnly: true, settings }, [selectBucket(id)])
    if (seen!.rowCount === 0) throw errors.noSuchBucket()
    // Timestamps of rows have microseconds: rounded up, or objects of the current millisecond would stay.
    const before = new Date(Date.now() + 1)
    let isAnySeen = false
    let isAnyRemoved = false
    let after: string | null = ''
    do {
      const rows: PageRow[] = await removeRows<PageRow>(
        storage,
        { caller, settings },
        {
          // In pages of visible names, since the caller may be unable to delete all objects of a page.
          text: `with page as materialized (
              select id, name from storage.objects
              where bucket_id = $1 and created_at <= $2 and name > $3 order by name limit ${batch}
            ), removed as (
              delete from storage.objects where id in (select id from page) returning version
            )
            select version, null as last from removed
            union all
            (select null, name from page order by name desc limit 1)`,
          values: [id, before, after],
        },
      )
      after = rows.find(({ last }) => last !== null)?.last ?? null
      isAnySeen ||= after !== null
      isAnyRemoved ||= rows.length > 1
    } while (after !== null)
    if (isAnySeen && !isAnyRemoved) throw errors.accessDenied()
    return c.json({ message: 'Empty bucket has been queued. Completion may take up to an hour.' })
  }
