import { readBucketName } from '../../bucketOf.ts'
import { authenticate } from '../../authenticate.ts'
import { errors } from '../../errors.ts'
import { JsonBody } from '../../JsonBody.ts'
import { operations } from '../../operations.ts'
import { requestSettings } from '../../requestSettings.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { removeRows } from './removeRows.ts'
import { renderObject } from '../reading/renderObject.ts'
import { deleteObjects } from '../rows.ts'

/** Names in one request. */
const maxNames = 1000

/**
 * `DELETE /object/:bucket` with `{prefixes}`, which are complete names: needs SELECT and DELETE. Returns
 * the deleted objects, without those that the caller may not see or delete.
 */
export const deleteManyObjects =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await authenticate(storage, c)
    const bucket = readBucketName(c)
    const body = await JsonBody.read(c.env.incoming)
    const names = body.texts(
      'prefixes',
      maxNames,
      errors.invalidRequest(`Bulk object requests are limited to ${maxNames} objects per request.`),
    )
    const rows = await removeRows(
      storage,
      { caller, settings: requestSettings(c, operations.deleteObjects) },
      deleteObjects(bucket, names),
    )
    return c.json(rows.map(renderObject))
  }
