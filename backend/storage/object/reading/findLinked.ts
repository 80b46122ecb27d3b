import { asCaller } from '../../../postgres/connections/asCaller.ts'
import { failures } from '../../failures.ts'
import type { Operation } from '../../operations.ts'
import { settingsFor } from '../../settingsFor.ts'
import { serviceFor } from '../../Storage.ts'
import type { Storage, StorageContext } from '../../Storage.ts'
import { selectObject } from '../rows.ts'
import type { ObjectRow } from '../rows.ts'

/** The object that a link names, whoever follows it: the policies were asked when it was made. Throws NoSuchKey. */
export async function findLinked(
  storage: Storage,
  c: StorageContext,
  o: { bucket: string; name: string; operation: Operation },
): Promise<ObjectRow> {
  const [found] = await asCaller(
    storage.pool,
    { caller: serviceFor(c), readOnly: true, settings: settingsFor(c, o.operation) },
    [selectObject(o.bucket, o.name)],
  )
  const row = found!.rows[0] as ObjectRow | undefined
  if (!row) throw failures.noSuchKey()
  return row
}
