import { callerOf, callerOrNull } from '../../callerOf.ts'
import { operations } from '../../operations.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { findReadable } from './findReadable.ts'
import { sendHead } from './sendHead.ts'
import { sendObject } from './sendObject.ts'
import { targetOf } from '../targetOf.ts'

/**
 * `GET|HEAD /object/authenticated/:bucket/*` and `/object/:bucket/*`: needs SELECT, unless the bucket is
 * public. The first insists on a good token, the second treats a bad one as none.
 */
export const getObject =
  (storage: Storage, o: { tokenRequired: boolean }): StorageRoute =>
  async (c) => {
    const caller = o.tokenRequired ? await callerOf(storage, c) : await callerOrNull(storage, c)
    const target = targetOf(c)
    if (c.req.method === 'HEAD') {
      return sendHead(
        storage,
        c,
        await findReadable(storage, c, { ...target, caller, operation: operations.headObject }),
      )
    }
    return sendObject(storage, c, () =>
      findReadable(storage, c, { ...target, caller, operation: operations.getObject }),
    )
  }
