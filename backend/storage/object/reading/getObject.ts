import { authenticate, authenticateOrNull } from '../../authenticate.ts'
import { operations } from '../../operations.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { findReadableObject } from './findReadableObject.ts'
import { sendHead } from './sendHead.ts'
import { sendObject } from './sendObject.ts'
import { readTarget } from '../targetOf.ts'

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
