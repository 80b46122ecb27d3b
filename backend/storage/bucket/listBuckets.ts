import { asCaller } from '../../postgres/connections/asCaller.ts'
import { authenticate } from '../authenticate.ts'
import { JsonBody } from '../JsonBody.ts'
import { operations } from '../operations.ts'
import { requestSettings } from '../requestSettings.ts'
import type { Storage, StorageRoute } from '../Storage.ts'
import { rejectsBucketType } from './rejectsBucketType.ts'
import { renderBucket } from './renderBucket.ts'
import { selectBuckets } from './rows.ts'
import type { BucketListing, BucketRow } from './rows.ts'

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
    const [found] = await asCaller(
      storage.pool,
      { caller, readOnly: true, settings: requestSettings(c, operations.listBuckets) },
      [selectBuckets(listing)],
    )
    const buckets = (found!.rows as BucketRow[]).map(renderBucket)
    if (rejectsBucketType(c.env.incoming.headers)) for (const bucket of buckets) delete bucket['type']
    return c.json(buckets)
  }
