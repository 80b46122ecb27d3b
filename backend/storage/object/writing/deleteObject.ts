import { asCaller } from '../../../postgres/connections/asCaller.ts'
import { callerOf } from '../../callerOf.ts'
import { failures } from '../../failures.ts'
import { operations } from '../../operations.ts'
import { settingsFor } from '../../settingsFor.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { removeRows } from './removeRows.ts'
import { deleteObjects, selectObject } from '../rows.ts'
import { targetOf } from '../targetOf.ts'

/**
 * `DELETE /object/:bucket/*`: needs SELECT and DELETE. Unlike upstream, who can't see the object is told
 * that there is none rather than "Access denied", which would prove that it exists.
 */
export const deleteObject =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await callerOf(storage, c)
    const { bucket, name } = targetOf(c)
    const settings = settingsFor(c, operations.deleteObject)
    const rows = await removeRows(storage, { caller, settings }, deleteObjects(bucket, [name]))
    if (rows.length === 0) {
      const [seen] = await asCaller(storage.pool, { caller, settings, readOnly: true }, [
        selectObject(bucket, name),
      ])
      throw seen!.rowCount ? failures.accessDenied() : failures.noSuchKey()
    }
    return c.json({ message: 'Successfully deleted' })
  }
