import type pg from 'pg'
import { isUuid } from '../../runtime/isUuid.ts'

export interface BucketRow {
  id: string
  name: string
  owner: string | null
  public: boolean | null
  type: string
  /** `bigint`, which the driver gives as text. */
  file_size_limit: string | null
  allowed_mime_types: string[] | null
  created_at: Date
  updated_at: Date
}

const columns = 'id, name, owner, public, type, file_size_limit, allowed_mime_types, created_at, updated_at'

export const selectBucket = (id: string): pg.QueryConfig => ({
  name: 'storage_select_bucket',
  text: `select ${columns} from storage.buckets where id = $1`,
  values: [id],
})

export interface BucketListing {
  search?: string
  sortColumn?: 'id' | 'name' | 'created_at' | 'updated_at'
  sortOrder?: 'asc' | 'desc'
  limit?: number
  offset?: number
}

export const selectBuckets = (o: BucketListing): pg.QueryConfig => ({
  text: `select ${columns} from storage.buckets
    where $1 = '' or position(lower($1) in lower(name)) > 0
    order by ${o.sortColumn ?? 'name'} ${o.sortOrder === 'desc' ? 'desc' : 'asc'} limit $2 offset $3`,
  values: [o.search ?? '', o.limit ?? null, o.offset ?? 0],
})

export interface BucketDraft {
  id: string
  name: string
  owner: string | undefined
  isPublic: boolean
  fileSizeLimit: number | null
  allowedMimeTypes: readonly string[] | null
}

/** Needs only INSERT. */
export const insertBucket = (draft: BucketDraft): pg.QueryConfig => ({
  text: `insert into storage.buckets (id, name, owner, owner_id, public, file_size_limit, allowed_mime_types)
    values ($1, $2, $3, $4, $5, $6, $7)`,
  values: [
    draft.id,
    draft.name,
    draft.owner && isUuid(draft.owner) ? draft.owner : null,
    draft.owner ?? null,
    draft.isPublic,
    draft.fileSizeLimit,
    draft.allowedMimeTypes,
  ],
})

/** Undefined leaves a property as it is. */
export interface BucketChange {
  isPublic: boolean | undefined
  fileSizeLimit: number | null | undefined
  allowedMimeTypes: readonly string[] | null | undefined
}

export const updateBucketRow = (id: string, change: BucketChange): pg.QueryConfig => ({
  text: `update storage.buckets set
      public = case when $2 then $3 else public end,
      file_size_limit = case when $4 then $5 else file_size_limit end,
      allowed_mime_types = case when $6 then $7 else allowed_mime_types end
    where id = $1`,
  values: [
    id,
    change.isPublic !== undefined,
    change.isPublic ?? null,
    change.fileSizeLimit !== undefined,
    change.fileSizeLimit ?? null,
    change.allowedMimeTypes !== undefined,
    change.allowedMimeTypes ?? null,
  ],
})

/** A bucket in the format of the API. */
export function renderBucket(row: BucketRow): Record<string, unknown> {
  return {
    id: row.id,
    name: row.name,
    owner: row.owner ?? '',
    public: row.public ?? false,
    type: row.type,
    file_size_limit: row.file_size_limit === null ? null : Number(row.file_size_limit),
    allowed_mime_types: row.allowed_mime_types,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
