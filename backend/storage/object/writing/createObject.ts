import { type Storage, type StorageRoute, serviceCallerFor } from '../../Storage.ts'
import { authenticate } from '../../authenticate.ts'
import { operations, type Operation } from '../../operations.ts'
import { readTarget, readToken } from '../readTarget.ts'
import { storeUpload } from './storeUpload.ts'

/** Stores the request's body as an object of the caller. Returns `{Id, Key}`. */
const writeObject =
  (
    storage: Storage,
    how: { operation: Operation; isUpsert: (c: Parameters<StorageRoute>[0]) => boolean },
  ): StorageRoute =>
  async (c) => {
    const caller = await authenticate(storage, c)
    const target = readTarget(c)
    const { id } = await storeUpload(storage, c, {
      ...target,
      caller,
      owner: caller.claims.sub,
      upsert: how.isUpsert(c),
      operation: how.operation,
    })
    return c.json({ Id: id, Key: `${target.bucket}/${target.name}` })
  }

/** `POST /object/:bucket/*`: needs INSERT, with `x-upsert: true` SELECT and UPDATE too. */
export const createObject = (storage: Storage): StorageRoute =>
  writeObject(storage, {
    operation: operations.createObject,
    isUpsert: (c) => c.env.incoming.headers['x-upsert'] === 'true',
  })

/** `PUT /object/:bucket/*`: needs SELECT, INSERT and UPDATE. */
export const updateObject = (storage: Storage): StorageRoute =>
  writeObject(storage, { operation: operations.updateObject, isUpsert: () => true })

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
