import { asCaller } from '../../../postgres/connections/asCaller.ts'
import { errors } from '../../errors.ts'
import type { Operation } from '../../operations.ts'
import { requestSettings } from '../../requestSettings.ts'
import { serviceCallerFor } from '../../Storage.ts'
import type { Storage, StorageContext } from '../../Storage.ts'
import { selectObject } from '../rows.ts'
import type { ObjectRow } from '../rows.ts'

/** The object of a signed link, for any caller: policies were checked when the link was created. Throws NoSuchKey. */
export async function findSignedObject(
  storage: Storage,
  c: StorageContext,
  o: { bucket: string; name: string; operation: Operation },
): Promise<ObjectRow> {
  const [found] = await asCaller(
    storage.pool,
    { caller: serviceCallerFor(c), readOnly: true, settings: requestSettings(c, o.operation) },
    [selectObject(o.bucket, o.name)],
  )
  const row = found!.rows[0] as ObjectRow | undefined
  if (!row) throw errors.noSuchKey()
  return row
}
