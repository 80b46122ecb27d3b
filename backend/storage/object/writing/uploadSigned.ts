import { operations } from '../../operations.ts'
import { serviceFor } from '../../Storage.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { tokenOf } from '../signing/tokenOf.ts'
import { storeUpload } from './storeUpload.ts'
import { targetOf } from '../targetOf.ts'

/** `PUT /object/upload/sign/:bucket/*?token=`: for whoever holds the link; the object is its maker's. */
export const uploadSigned =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const { bucket, name } = targetOf(c)
    const { owner, upsert } = await storage.signer.verify(tokenOf(c), `${bucket}/${name}`, 'upload')
    await storeUpload(storage, c, {
      bucket,
      name,
      caller: serviceFor(c),
      owner,
      upsert: upsert ?? false,
      operation: operations.uploadSigned,
    })
    return c.json({ Key: `${bucket}/${name}` })
  }
