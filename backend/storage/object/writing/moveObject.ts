import { runAsCaller } from '../../../postgres/connections/runAsCaller.ts'
import { authenticate } from '../../authenticate.ts'
import { errors } from '../../errors.ts'
import { JsonBody } from '../../JsonBody.ts'
import { requireBucketName, requireObjectName } from '../../names.ts'
import { operations } from '../../operations.ts'
import { requestSettings } from '../../requestSettings.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { moveRow } from '../objectRows.ts'
import type { ObjectRow } from '../objectRows.ts'
import { requireWithinLimits } from './requireWithinLimits.ts'

/**
 * `POST /object/move` with `{bucketId, sourceKey, destinationBucket?, destinationKey}`: needs SELECT and
 * UPDATE, and the caller must see the moved row; another bucket's limits apply. Only the row changes, as files are named by
 * versions.
 */
export const moveObject =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await authenticate(storage, c)
    const body = await JsonBody.read(c.env.incoming)
    const from = { bucket: body.text('bucketId'), name: body.text('sourceKey') }
    const to = {
      bucket: body.optionalText('destinationBucket') || from.bucket,
      name: body.text('destinationKey'),
      owner: caller.claims.sub,
    }
    requireBucketName(from.bucket)
    requireBucketName(to.bucket)
    requireObjectName(to.name)
    const settings = requestSettings(c, operations.moveObject)
    const move = async (o: { rollback: boolean }): Promise<Pick<ObjectRow, 'id' | 'metadata'>> => {
      const [moved] = await runAsCaller(storage.pool, { caller, settings, ...o }, [moveRow(from, to)])
      const row = moved!.rows[0] as Pick<ObjectRow, 'id' | 'metadata'> | undefined
      if (!row) throw errors.noSuchKey()
      return row
    }
    if (to.bucket !== from.bucket) {
      const { metadata } = await move({ rollback: true })
      await requireWithinLimits(storage, c, { ...to, metadata, operation: operations.moveObject })
    }
    const row = await move({ rollback: false })
    return c.json({ message: 'Successfully moved', Id: row.id, Key: to.name })
  }
