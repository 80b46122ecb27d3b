import { authenticate } from '../authenticate.ts'
import { errors } from '../errors.ts'
import type { Storage, StorageRoute } from '../Storage.ts'

/**
 * `DELETE /cdn`, `/cdn/:bucket` and `/cdn/:bucket/*`: only for the service role. There is no CDN in front of
 * this service, and thumbnails are cached by version and never stale: there is nothing to purge.
 */
export const purgeCache =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await authenticate(storage, c)
    if (caller.role !== 'service_role') throw errors.accessDenied('Access denied: Invalid role', 403)
    return c.json({ message: 'success', statusCode: '200' })
  }
