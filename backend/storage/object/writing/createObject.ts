import { type Storage, type StorageRoute, serviceCallerFor } from '../../Storage.ts'
import { authenticate } from '../../authenticate.ts'
import { operations } from '../../operations.ts'
import { readTarget, readToken } from '../readTarget.ts'
import { storeUpload } from './storeUpload.ts'

/**
 * `POST /object/:bucket/*`: needs INSERT, with `x-upsert: true` SELECT and UPDATE too.
 * Returns `{Id, Key}`.
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

/** `PUT /object/:bucket/*`: needs SELECT, INSERT and UPDATE. Returns `{Id, Key}`. */
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
