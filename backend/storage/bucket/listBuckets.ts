import type { IncomingHttpHeaders } from 'node:http'
import { runAsCaller } from '../../postgres/connections/runAsCaller.ts'
import { JsonBody } from '../JsonBody.ts'
import type { Storage, StorageRoute } from '../Storage.ts'
import { authenticate } from '../authenticate.ts'
import { operations } from '../operations.ts'
import { requestSettings } from '../requestSettings.ts'
import { type BucketListing, type BucketRow, renderBucket, selectBuckets } from './bucketRows.ts'

/** The first releases of the Python client that accept the `type` of a bucket. */
const clients: [header: string, name: RegExp, since: number[]][] = [
  ['x-client-info', /supabase-py\/(\d+)\.(\d+)\.(\d+)/i, [2, 18, 0]],
  ['user-agent', /supabase-py\/storage3 v(\d+)\.(\d+)\.(\d+)/i, [0, 12, 1]],
]

/** Whether the client fails on a listed bucket that has a `type` (upstream's rule). */
export function rejectsBucketType(headers: IncomingHttpHeaders): boolean {
  return clients.some(([header, name, since]) => {
    const version = name
      .exec(String(headers[header] ?? ''))
      ?.slice(1)
      .map(Number)
    if (!version) return false
    const at = version.findIndex((part, index) => part !== since[index])
    return at >= 0 && version[at]! < since[at]!
  })
}

/** `GET /bucket?search&limit&offset&sortColumn&sortOrder`: needs SELECT on buckets. */
export const listBuckets =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await authenticate(storage, c)
    const query = new JsonBody(c.req.query(), 'querystring')
    const listing: BucketListing = {
      search: query.optionalText('search'),
      sortColumn: query.oneOf('sortColumn', ['id', 'name', 'created_at', 'updated_at']),
      sortOrder: query.oneOf('sortOrder', ['asc', 'desc']),
      limit: query.optionalInteger('limit', 1),
      offset: query.optionalInteger('offset', 0),
    }
    const [found] = await runAsCaller(
      storage.pool,
      { caller, readOnly: true, settings: requestSettings(c, operations.listBuckets) },
      [selectBuckets(listing)],
    )
    const buckets = (found!.rows as BucketRow[]).map(renderBucket)
    if (rejectsBucketType(c.env.incoming.headers)) for (const bucket of buckets) delete bucket['type']
    return c.json(buckets)
  }
