import type pg from 'pg'
import {
  type CallerOptions,
  runAsCaller,
  transactAsCaller,
} from '../../../postgres/connections/runAsCaller.ts'
import { JsonBody } from '../../JsonBody.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { authenticate } from '../../authenticate.ts'
import { errors } from '../../errors.ts'
import { operations } from '../../operations.ts'
import { requestSettings } from '../../requestSettings.ts'
import { type ObjectRow, deleteObjects, renderObject, selectObject } from '../objectRows.ts'
import { readBucketName, readTarget } from '../readTarget.ts'

/**
 * Runs a DELETE on objects as the caller and removes the bytes once it is committed, never before: a
 * rolled-back deletion must find its file. Returns the deleted rows.
 * @param statement returns at least `version`
 */
export async function removeRows<Row extends Pick<ObjectRow, 'version'> = ObjectRow>(
  storage: Storage,
  o: CallerOptions,
  statement: pg.QueryConfig,
): Promise<Row[]> {
  const rows = await transactAsCaller(storage.pool, o, async (client) => {
    const result = await client.query<Row>(statement)
    await storage.bytes.mark(versionsOf(result.rows))
    return result.rows
  })
  await Promise.all(versionsOf(rows).map((version) => storage.bytes.discard(version)))
  return rows
}

const versionsOf = (rows: readonly Pick<ObjectRow, 'version'>[]): string[] =>
  rows.map((row) => row.version).filter((version) => typeof version === 'string')

/**
 * `DELETE /object/:bucket/*`: needs SELECT and DELETE. Unlike upstream, the error for an object that the
 * caller can't see is not_found and not "Access denied", which would reveal that it exists.
 */
export const deleteObject =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await authenticate(storage, c)
    const { bucket, name } = readTarget(c)
    const settings = requestSettings(c, operations.deleteObject)
    const rows = await removeRows(storage, { caller, settings }, deleteObjects(bucket, [name]))
    if (rows.length === 0) {
      const [seen] = await runAsCaller(storage.pool, { caller, settings, readOnly: true }, [
        selectObject(bucket, name),
      ])
      throw seen!.rowCount ? errors.accessDenied() : errors.noSuchKey()
    }
    return c.json({ message: 'Successfully deleted' })
  }

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
