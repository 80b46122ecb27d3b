import type { Caller } from '../../../../wire/claims.ts'
import { asCaller } from '../../../postgres/connections/asCaller.ts'
import { selectBucket } from '../../bucket/rows.ts'
import type { BucketRow } from '../../bucket/rows.ts'
import { failures } from '../../failures.ts'
import type { Operation } from '../../operations.ts'
import { settingsFor } from '../../settingsFor.ts'
import { serviceCaller } from '../../Storage.ts'
import type { Storage, StorageContext } from '../../Storage.ts'
import { selectObject } from '../rows.ts'
import type { ObjectRow } from '../rows.ts'

export interface Readable {
  bucket: string
  name: string
  operation: Operation
  /** Null where nobody proved who they are: then only a public bucket answers. */
  caller: Caller | null
}

/**
 * The object if it lies in a public bucket or the caller's policies show it.
 * Throws NoSuchBucket and NoSuchKey; forbidden and missing are one answer.
 */
export async function findReadable(storage: Storage, c: StorageContext, o: Readable): Promise<ObjectRow> {
  const settings = settingsFor(c, o.operation)
  const [found] = await asCaller(storage.pool, { caller: serviceCaller, readOnly: true, settings }, [
    selectBucket(o.bucket),
  ])
  const bucket = found!.rows[0] as BucketRow | undefined
  if (!bucket || (!o.caller && !bucket.public)) throw failures.noSuchBucket()
  const caller = bucket.public || !o.caller ? serviceCaller : o.caller
  const [seen] = await asCaller(storage.pool, { caller, readOnly: true, settings }, [
    selectObject(o.bucket, o.name),
  ])
  const row = seen!.rows[0] as ObjectRow | undefined
  if (!row) throw failures.noSuchKey()
  return row
}
