import { ReadError, type DatabaseReader } from '../readDatabase.ts'

export interface Bucket {
  id: string
  public: boolean
  sizeLimit: number | null
  types: string[] | null
  createdAt: Date | null
}

export interface Buckets {
  buckets: Bucket[]
  /** By bucket; null if there are too many objects to count each time. */
  contents: Map<string, { objects: number; bytes: number }> | null
  /** Estimated number of all objects. */
  estimate: number
}

/** A larger table of objects is counted only on request. */
const maxCountedBytes = 48 * 1024 * 1024

const contentsSql = `
  select bucket_id as id, count(*)::float8 as objects,
    coalesce(sum(case when metadata ->> 'size' ~ '^\\d{1,15}$' then (metadata ->> 'size')::bigint end), 0)::float8
      as bytes
  from storage.objects group by bucket_id`

/** Buckets and their contents. `exactly` counts objects whatever their number. Throws ReadError. */
export async function readBuckets(database: DatabaseReader, exactly: boolean): Promise<Buckets> {
  const [buckets, [size]] = await Promise.all([
    database.read<Bucket & Record<string, unknown>>(
      `select id, coalesce(public, false) as public, file_size_limit::float8 as "sizeLimit",
         allowed_mime_types as types, created_at as "createdAt"
       from storage.buckets order by id limit 500`,
    ),
    database.read<{ bytes: number; tuples: number }>(
      `select pg_relation_size(oid)::float8 as bytes, greatest(reltuples, 0)::float8 as tuples
       from pg_class where oid = 'storage.objects'::regclass`,
    ),
  ])
  const isSmall = size!.bytes <= maxCountedBytes
  let contents: Buckets['contents'] = null
  if (isSmall || exactly) {
    try {
      const rows = await (exactly ? database.readLong : database.read)<{
        id: string
        objects: number
        bytes: number
      }>(contentsSql)
      contents = new Map(rows.map(({ id, objects, bytes }) => [id, { objects, bytes }]))
    } catch (error) {
      if (exactly || !(error instanceof ReadError)) throw error
    }
  }
  return { buckets, contents, estimate: size!.tuples }
}
