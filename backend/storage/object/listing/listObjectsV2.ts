import type pg from 'pg'
import { runAsCaller } from '../../../postgres/connections/runAsCaller.ts'
import { readBucketName } from '../readTarget.ts'
import { authenticate } from '../../authenticate.ts'
import { JsonBody } from '../../JsonBody.ts'
import { operations } from '../../operations.ts'
import { requestSettings } from '../../requestSettings.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import type { ObjectMetadata } from '../objectRows.ts'
import type { Listing, Position } from './createCursorCodec.ts'

/** Entries in one response. */
const maxEntries = 1000

/** An entry; a folder has no id, and its name has no trailing slash. */
interface Entry {
  key?: string
  name: string
  id: string | null
  updated_at: Date | null
  created_at: Date | null
  last_accessed_at: Date | null
  metadata: ObjectMetadata | null
}

/** The start of a listing: a position without a name for the first page. */
type Start = Omit<Position, 'name'> & { name?: string }

const levelOf = (prefix: string): number => prefix.split('/').length

/** One level, folders among the files. Sorted by name, the database skips the content of folders. */
function selectLevel({ bucket, prefix }: Listing, at: Start, limit: number): pg.QueryConfig {
  if (at.column === 'name') {
    return {
      name: 'storage_list_level',
      text: `select split_part(l.name, '/', $6) as key, l.* from
        storage.list_objects_with_delimiter($1, $2, '/', $3, '', $4, $5) l`,
      values: [bucket, prefix, limit, at.name ?? '', at.order, levelOf(prefix)],
    }
  }
  const after = at.name?.replace(/\/$/, '') ?? ''
  return {
    name: 'storage_list_level_by_time',
    text: 'select * from storage.search_v2($1, $2, $3, $4, $5, $6, $7, $8)',
    values: [prefix, bucket, limit, levelOf(prefix), after, at.order, at.column, at.time ?? ''],
  }
}

/** Every file below the prefix, in folders too. */
function selectAll({ bucket, prefix }: Listing, at: Start, limit: number): pg.QueryConfig {
  const step = at.order === 'asc' ? '>' : '<'
  const time = at.column === 'name' ? null : `coalesce(date_trunc('milliseconds', ${at.column}), 'epoch')`
  const after = time
    ? `(${time}, name collate "C") ${step} ($5::timestamptz, $4)`
    : `name collate "C" ${step} $4`
  const values = [bucket, prefix, limit]
  return {
    text: `select id, name, metadata, updated_at, created_at, last_accessed_at from storage.objects
      where bucket_id = $1 and name collate "C" >= $2 and name collate "C" < $2 || chr(1114111)
        ${at.name === undefined ? '' : `and ${after}`}
      order by ${time ? `${time} ${at.order}, ` : ''}name collate "C" ${at.order} limit $3`,
    values: at.name === undefined ? values : [...values, at.name, ...(time ? [at.time ?? 'epoch'] : [])],
  }
}

/**
 * `POST /object/list-v2/:bucket` with `{prefix, limit, cursor, with_delimiter, sortBy}`: files below a prefix, which
 * is the start of a name and not necessarily a folder; with the delimiter one level, folders separate. Needs SELECT;
 * other objects are not listed. Returns `{hasNext, nextCursor?, nextCursorKey?, folders, objects}`.
 */
export const listObjectsV2 =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await authenticate(storage, c)
    const bucket = readBucketName(c)
    const body = await JsonBody.read(c.env.incoming)
    const listing: Listing = {
      bucket,
      prefix: body.optionalText('prefix') ?? '',
      withFolders: body.optionalFlag('with_delimiter') ?? false,
    }
    const limit = Math.min(body.optionalInteger('limit', 1) ?? maxEntries, maxEntries)
    const sortBy = body.optionalObject('sortBy')
    const requestedStart: Start = {
      column: sortBy?.requiredOneOf('column', ['name', 'updated_at', 'created_at']) ?? 'name',
      order: sortBy?.oneOf('order', ['asc', 'desc']) ?? 'asc',
    }
    const cursor = body.optionalText('cursor')
    // All pages have the order of the first, as upstream's.
    const at = cursor ? storage.cursors.decode(listing, cursor) : requestedStart
    const [found] = await runAsCaller(
      storage.pool,
      { caller, readOnly: true, settings: requestSettings(c, operations.listObjectsV2) },
      [(listing.withFolders ? selectLevel : selectAll)(listing, at, limit + 1)],
    )
    const rows = found!.rows as Entry[]
    const hasNext = rows.length > limit
    const shown = rows.slice(0, limit)
    for (const row of shown) if (row.id === null) row.name += '/'
    const last = hasNext ? shown.at(-1) : undefined
    const time = at.column === 'name' ? undefined : last?.[at.column]
    return c.json({
      hasNext,
      ...(last && {
        nextCursor: storage.cursors.encode(listing, {
          column: at.column,
          order: at.order,
          name: last.name,
          ...(time && { time: time.toISOString() }),
        }),
        nextCursorKey: last.id === null ? last.name.slice(0, -1) : last.name,
      }),
      folders: shown.filter((row) => row.id === null),
      objects: shown.filter((row) => row.id !== null),
    })
  }
