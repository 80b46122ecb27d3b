import { asCaller } from '../../../postgres/connections/asCaller.ts'
import { callerOf } from '../../callerOf.ts'
import { failures } from '../../failures.ts'
import { JsonBody } from '../../JsonBody.ts'
import { operations } from '../../operations.ts'
import { settingsFor } from '../../settingsFor.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { selectNames } from '../rows.ts'
import { expiryOf } from './signManyObjects.ts'
import { targetOf } from '../targetOf.ts'

/** `POST /object/sign/:bucket/*` with `{expiresIn}`: needs SELECT. Answers `{signedURL}`. */
export const signObject =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await callerOf(storage, c)
    const { bucket, name } = targetOf(c)
    const seconds = expiryOf(await JsonBody.read(c.env.incoming))
    const [found] = await asCaller(
      storage.pool,
      { caller, readOnly: true, settings: settingsFor(c, operations.signObject) },
      [selectNames(bucket, [name])],
    )
    if (found!.rowCount === 0) throw failures.noSuchKey()
    const url = `${bucket}/${name}`
    const token = await storage.signer.sign({ url, scope: 'download' }, seconds)
    return c.json({ signedURL: `/object/sign/${url}?token=${token}` })
  }
