import { operations } from '../../operations.ts'
import { serviceCallerFor } from '../../Storage.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { readToken } from '../signing/tokenOf.ts'
import { storeUpload } from './storeUpload.ts'
import { readTarget } from '../targetOf.ts'

/** `PUT /object/upload/sign/:bucket/*?token=`: for anyone with the link; the object belongs to the creator of the link. */
export const uploadSigned =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const { bucket, name } = readTarget(c)
    const { owner, upsert } = await storage.signer.verify(readToken(c), `${bucket}/${name}`, 'upload')
    await storeUpload(storage, c, {
      bucket,
      name,
      caller: serviceCallerFor(c),
      owner,
      upsert: upsert ?? false,
      operation: operations.uploadSigned,
    })
    return c.json({ Key: `${bucket}/${name}` })
  }
