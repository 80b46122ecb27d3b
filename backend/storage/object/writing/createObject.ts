import { authenticate } from '../../authenticate.ts'
import { operations } from '../../operations.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { storeUpload } from './storeUpload.ts'
import { readTarget } from '../targetOf.ts'

/**
 * `POST /object/:bucket/*`: needs INSERT, with `x-upsert: true` SELECT and UPDATE too.
 * Answers `{Id, Key}`.
 */
export const createObject =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await authenticate(storage, c)
    const target = readTarget(c)
    const { id } = await storeUpload(storage, c, {
      ...target,
      caller,
      owner: caller.claims.sub,
      upsert: c.env.incoming.headers['x-upsert'] === 'true',
      operation: operations.createObject,
    })
    return c.json({ Id: id, Key: `${target.bucket}/${target.name}` })
  }
