import { authenticate } from '../../authenticate.ts'
import { operations } from '../../operations.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { storeUpload } from './storeUpload.ts'
import { readTarget } from '../targetOf.ts'

/** `PUT /object/:bucket/*`: needs SELECT, INSERT and UPDATE. Answers `{Id, Key}`. */
export const updateObject =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await authenticate(storage, c)
    const target = readTarget(c)
    const { id } = await storeUpload(storage, c, {
      ...target,
      caller,
      owner: caller.claims.sub,
      upsert: true,
      operation: operations.updateObject,
    })
    return c.json({ Id: id, Key: `${target.bucket}/${target.name}` })
  }
