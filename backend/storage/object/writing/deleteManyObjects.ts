import { bucketOf } from '../../bucketOf.ts'
import { callerOf } from '../../callerOf.ts'
import { failures } from '../../failures.ts'
import { JsonBody } from '../../JsonBody.ts'
import { operations } from '../../operations.ts'
import { settingsFor } from '../../settingsFor.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { removeRows } from './removeRows.ts'
import { renderObject } from '../reading/renderObject.ts'
import { deleteObjects } from '../rows.ts'

/** Names in one request. */
const most = 1000

/**
 * `DELETE /object/:bucket` with `{prefixes}`, which are whole names: needs SELECT and DELETE. Answers with
 * the objects that went; what the caller may not see or delete is simply not among them.
 */
export const deleteManyObjects =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await callerOf(storage, c)
    const bucket = bucketOf(c)
    const body = await JsonBody.read(c.env.incoming)
    const names = body.texts(
      'prefixes',
      most,
      failures.invalidRequest(`Bulk object requests are limited to ${most} objects per request.`),
    )
    const rows = await removeRows(
      storage,
      { caller, settings: settingsFor(c, operations.deleteObjects) },
      deleteObjects(bucket, names),
    )
    return c.json(rows.map(renderObject))
  }
