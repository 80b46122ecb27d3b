import { errors } from '../../errors.ts'
import { operations } from '../../operations.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { readToken } from '../signing/tokenOf.ts'
import { findSignedObject } from './findSignedObject.ts'
import { sendHead } from './sendHead.ts'
import { sendObject } from './sendObject.ts'
import { readTarget } from '../targetOf.ts'

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
