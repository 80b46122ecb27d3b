import type pg from 'pg'
import { isUuid } from '../../runtime/isUuid.ts'

/** `storage.objects.metadata` (the names are upstream's). */
export interface ObjectMetadata {
  eTag?: string
  size?: number
  mimetype?: string
  cacheControl?: string
  lastModified?: string
  contentLength?: number
  httpStatusCode?: number
  xRobotsTag?: string
}

export interface ObjectRow {
  id: string | null
  name: string
  bucket_id?: string
  owner?: string | null
  owner_id?: string | null
  version?: string | null
  created_at: Date | null
  updated_at: Date | null
  last_accessed_at: Date | null
  metadata: ObjectMetadata | null
  user_metadata?: Record<string, unknown> | null
}

/** The values that a write stores in a row. */
export interface ObjectDraft {
  bucket: string
  name: string
  version: string
  /** The `sub` of the token. If it is a UUID, it is also stored in the older column `owner`. */
  owner: string | undefined
  metadata: ObjectMetadata
  userMetadata: Record<string, unknown> | null
}

const columns =
  'id, name, bucket_id, owner, owner_id, version, created_at, updated_at, last_accessed_at, metadata, user_metadata'

const valuesOf = (draft: ObjectDraft): unknown[] => [
  draft.bucket,
  draft.name,
  draft.version,
  draft.owner && isUuid(draft.owner) ? draft.owner : null,
  draft.owner ?? null,
  JSON.stringify(draft.metadata),
  draft.userMetadata === null ? null : JSON.stringify(draft.userMetadata),
]

const insert = `insert into storage.objects (bucket_id, name, version, owner, owner_id, metadata, user_metadata)
  values ($1, $2, $3, $4, $5, $6, $7)`

/**
 * Inserts a row for a dry run. It needs only INSERT. It has no RETURNING, which would need SELECT too. Statements are
 * named so that a connection plans each once; PostgreSQL replans for another role.
 */
export const tryInsert = (draft: ObjectDraft): pg.QueryConfig => ({
  name: 'storage_try_insert',
  text: insert,
  values: valuesOf(draft),
})

/** Inserts a row. Returns its id. */
export const insertObject = (draft: ObjectDraft): pg.QueryConfig => ({
  name: 'storage_insert_object',
  text: `${insert} returning id`,
  values: valuesOf(draft),
})

/** Inserts or replaces a row. It needs INSERT, SELECT and UPDATE, as upstream's upsert. Returns the row's id. */
export const upsertObject = (draft: ObjectDraft): pg.QueryConfig => ({
  name: 'storage_upsert_object',
  text: `${insert}
    on conflict (name, bucket_id) do update set
      version = excluded.version, owner = coalesce(excluded.owner, objects.owner),
      owner_id = coalesce(excluded.owner_id, objects.owner_id),
      metadata = excluded.metadata, user_metadata = excluded.user_metadata
    returning id`,
  values: valuesOf(draft),
})

/** Serialises writers of one name, even if there is no row to lock. */
export const lockName = (bucket: string, name: string): pg.QueryConfig => ({
  name: 'storage_lock_name',
  text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
  values: [`${bucket}/${name}`],
})

/** Selects the row of an object. */
export const selectObject = (bucket: string, name: string): pg.QueryConfig => ({
  name: 'storage_select_object',
  text: `select ${columns} from storage.objects where bucket_id = $1 and name = $2`,
  values: [bucket, name],
})

/**
 * Selects the row that a write replaces, and locks it until the commit. A row that was moved meanwhile would keep a
 * version whose file is then deleted as replaced.
 */
export const selectReplaced = (bucket: string, name: string): pg.QueryConfig => ({
  name: 'storage_select_replaced',
  text: 'select version from storage.objects where bucket_id = $1 and name = $2 for update',
  values: [bucket, name],
})

/** Selects the names that exist among these names. */
export const selectNames = (bucket: string, names: readonly string[]): pg.QueryConfig => ({
  name: 'storage_select_names',
  text: 'select name from storage.objects where bucket_id = $1 and name = any($2)',
  values: [bucket, names],
})

/** Deletes the objects with these names and returns their rows. */
export const deleteObjects = (bucket: string, names: readonly string[]): pg.QueryConfig => ({
  name: 'storage_delete_objects',
  text: `delete from storage.objects where bucket_id = $1 and name = any($2) returning ${columns}`,
  values: [bucket, names],
})

/** Moves an object to another bucket or name. Returns its id and metadata. */
export const moveRow = (
  from: { bucket: string; name: string },
  to: { bucket: string; name: string; owner: string | undefined },
): pg.QueryConfig => ({
  name: 'storage_move_object',
  text: `update storage.objects set bucket_id = $3, name = $4,
      owner = coalesce($5::uuid, owner), owner_id = coalesce($6, owner_id)
    where bucket_id = $1 and name = $2 returning id, metadata`,
  values: [
    from.bucket,
    from.name,
    to.bucket,
    to.name,
    to.owner && isUuid(to.owner) ? to.owner : null,
    to.owner ?? null,
  ],
})

/** Renders an object in the format of the API. Upstream renders missing owners and versions as empty strings. */
export function renderObject(row: ObjectRow): Record<string, unknown> {
  return {
    name: row.name,
    bucket_id: row.bucket_id,
    owner: row.owner ?? '',
    owner_id: row.owner_id ?? '',
    version: row.version ?? '',
    id: row.id,
    updated_at: row.updated_at,
    created_at: row.created_at,
    last_accessed_at: row.last_accessed_at,
    metadata: row.metadata,
    user_metadata: row.user_metadata ?? null,
  }
}
