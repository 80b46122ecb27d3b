import { operations } from '../../operations.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { findReadableObject } from './findReadableObject.ts'
import { sendHead } from './sendHead.ts'
import { sendObject } from './sendObject.ts'
import { readTarget } from '../targetOf.ts'

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
