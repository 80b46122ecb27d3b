import { callerOf, callerOrNull } from '../../callerOf.ts'
import { operations } from '../../operations.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { findReadable } from './findReadable.ts'
import { headersOf } from './headersOf.ts'
import { targetOf } from '../targetOf.ts'

/**
 * `GET /object/info/:bucket/*`, `/object/info/authenticated/…` and `/object/info/public/…`: what is known
 * of an object, as JSON. Needs what reading it needs.
 */
export const getObjectInfo =
  (storage: Storage, access: 'public' | 'authenticated' | 'either'): StorageRoute =>
  async (c) => {
    const caller =
      access === 'public'
        ? null
        : await (access === 'authenticated' ? callerOf(storage, c) : callerOrNull(storage, c))
    const row = await findReadable(storage, c, {
      ...targetOf(c),
      caller,
      operation: access === 'public' ? operations.getPublicInfo : operations.getObjectInfo,
    })
    const { etag, lastModified, fields } = headersOf(row)
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
