import { asCaller } from '../../../postgres/connections/asCaller.ts'
import { failures } from '../../failures.ts'
import { operations } from '../../operations.ts'
import { settingsFor } from '../../settingsFor.ts'
import { serviceCaller } from '../../Storage.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { selectObject } from '../rows.ts'
import type { ObjectRow } from '../rows.ts'
import { tokenOf } from '../signing/tokenOf.ts'
import { sendHead } from './sendHead.ts'
import { sendObject } from './sendObject.ts'
import { targetOf } from '../targetOf.ts'

/** `GET|HEAD /object/sign/:bucket/*?token=`: for whoever holds the link, until it expires. */
export const getSignedObject =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const { bucket, name } = targetOf(c)
    const claims = await storage.signer.verify(tokenOf(c), `${bucket}/${name}`, 'download')
    // Upstream lets a link to a thumbnail fetch the original: whoever made it meant to show less.
    if (claims.transformations) throw failures.invalidSignature()
    const settings = settingsFor(c, operations.getSignedObject)
    const find = async (): Promise<ObjectRow> => {
      const [found] = await asCaller(storage.pool, { caller: serviceCaller, readOnly: true, settings }, [
        selectObject(bucket, name),
      ])
      const row = found!.rows[0] as ObjectRow | undefined
      if (!row) throw failures.noSuchKey()
      return row
    }
    return c.req.method === 'HEAD'
      ? sendHead(storage, c, await find(), claims.exp)
      : sendObject(storage, c, find, claims.exp)
  }
