import { asCaller } from '../../../postgres/connections/asCaller.ts'
import { authenticate } from '../../authenticate.ts'
import { errors } from '../../errors.ts'
import { operations } from '../../operations.ts'
import { requestSettings } from '../../requestSettings.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { removeRows } from './removeRows.ts'
import { deleteObjects, selectObject } from '../rows.ts'
import { readTarget } from '../targetOf.ts'

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
      const [seen] = await asCaller(storage.pool, { caller, settings, readOnly: true }, [
        selectObject(bucket, name),
      ])
      throw seen!.rowCount ? errors.accessDenied() : errors.noSuchKey()
    }
    return c.json({ message: 'Successfully deleted' })
  }
