import type { Storage, StorageRoute } from '../../Storage.ts'
import { authenticate, authenticateOrNull } from '../../authenticate.ts'
import { errors } from '../../errors.ts'
import { operations } from '../../operations.ts'
import { readTarget, readToken } from '../readTarget.ts'
import { findReadableObject, findSignedObject } from './findReadableObject.ts'
import { sendHead } from './sendHead.ts'
import { sendObject } from './sendObject.ts'

/**
 * `GET|HEAD /object/authenticated/:bucket/*` and `/object/:bucket/*`: needs SELECT, unless the bucket is
 * public. The first requires a valid token, the second treats an invalid one as none.
 */
export const getObject =
  (storage: Storage, o: { tokenRequired: boolean }): StorageRoute =>
  async (c) => {
    const caller = o.tokenRequired ? await authenticate(storage, c) : await authenticateOrNull(storage, c)
    const target = readTarget(c)
    if (c.req.method === 'HEAD') {
      return sendHead(
        storage,
        c,
        await findReadableObject(storage, c, { ...target, caller, operation: operations.headObject }),
      )
    }
    return sendObject(storage, c, () =>
      findReadableObject(storage, c, { ...target, caller, operation: operations.getObject }),
    )
  }

/** `GET|HEAD /object/public/:bucket/*`: for anyone, only from public buckets. */
export const getPublicObject =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const target = { ...readTarget(c), caller: null }
    if (c.req.method === 'HEAD') {
      return sendHead(
        storage,
        c,
        await findReadableObject(storage, c, { ...target, operation: operations.getPublicInfo }),
      )
    }
    return sendObject(storage, c, () =>
      findReadableObject(storage, c, { ...target, operation: operations.getPublicObject }),
    )
  }

/** `GET|HEAD /object/sign/:bucket/*?token=`: for anyone with the link, until it expires. */
export const getSignedObject =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const { bucket, name } = readTarget(c)
    const claims = await storage.signer.verify(readToken(c), `${bucket}/${name}`, 'download')
    // Unlike upstream, a link to a thumbnail does not give access to the original.
    if (claims.transformations) throw errors.invalidSignature()
    const find = () => findSignedObject(storage, c, { bucket, name, operation: operations.getSignedObject })
    return c.req.method === 'HEAD'
      ? sendHead(storage, c, await find(), claims.exp)
      : sendObject(storage, c, find, claims.exp)
  }
