import { authenticate } from '../authenticate.ts'
import { errors } from '../errors.ts'
import type { Storage, StorageRoute } from '../Storage.ts'

/**
 * `DELETE /cdn`, `/cdn/:bucket` and `/cdn/:bucket/*`: for the service role alone. Nothing stands between this service
 * and its readers, and renderings are kept by version, so that none of them is ever stale: there is nothing to purge.
 */
export const purgeCache =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await authenticate(storage, c)
    if (caller.role !== 'service_role') throw errors.accessDenied('Access denied: Invalid role', 403)
    return c.json({ message: 'success', statusCode: '200' })
  }
