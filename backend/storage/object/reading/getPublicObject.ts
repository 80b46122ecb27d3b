import { operations } from '../../operations.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { findReadable } from './findReadable.ts'
import { sendHead } from './sendHead.ts'
import { sendObject } from './sendObject.ts'
import { targetOf } from '../targetOf.ts'

/** `GET|HEAD /object/public/:bucket/*`: for anyone, from public buckets alone. */
export const getPublicObject =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const target = { ...targetOf(c), caller: null }
    if (c.req.method === 'HEAD') {
      return sendHead(
        storage,
        c,
        await findReadable(storage, c, { ...target, operation: operations.getPublicInfo }),
      )
    }
    return sendObject(storage, c, () =>
      findReadable(storage, c, { ...target, operation: operations.getPublicObject }),
    )
  }
