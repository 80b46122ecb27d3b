import { authenticate, authenticateOrNull } from '../../authenticate.ts'
import { operations } from '../../operations.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { findReadableObject } from './findReadableObject.ts'
import { objectHeaders } from './objectHeaders.ts'
import { readTarget } from '../readTarget.ts'

/**
 * `GET /object/info/:bucket/*`, `/object/info/authenticated/…` and `/object/info/public/…`: the
 * properties of an object as JSON. Needs the same permissions as reading it.
 */
export const getObjectInfo =
  (storage: Storage, access: 'public' | 'authenticated' | 'either'): StorageRoute =>
  async (c) => {
    const caller =
      access === 'public'
        ? null
        : await (access === 'authenticated' ? authenticate(storage, c) : authenticateOrNull(storage, c))
    const row = await findReadableObject(storage, c, {
      ...readTarget(c),
      caller,
      operation: access === 'public' ? operations.getPublicInfo : operations.getObjectInfo,
    })
    const { etag, lastModified, fields } = objectHeaders(row)
    const metadata = row.metadata ?? {}
    return c.json(
      {
        id: row.id,
        name: row.name,
        version: row.version,
        bucket_id: row.bucket_id,
        size: metadata.size ?? null,
        content_type: metadata.mimetype ?? null,
        cache_control: metadata.cacheControl ?? null,
        etag: metadata.eTag ?? null,
        metadata: row.user_metadata ?? null,
        last_modified: row.updated_at,
        created_at: row.created_at,
      },
      200,
      {
        ETag: etag,
        'Last-Modified': lastModified.toUTCString(),
        'Cache-Control': fields['Cache-Control'] ?? 'no-cache',
      },
    )
  }
