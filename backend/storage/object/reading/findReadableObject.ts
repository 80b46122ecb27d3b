import type { Caller } from '../../../../wire/claims.ts'
import type { TransactionStatement } from '../../../postgres/connections/TransactionQuery.ts'
import { runAsCaller } from '../../../postgres/connections/runAsCaller.ts'
import { getRoleSettings } from '../../../postgres/connections/roleSettings.ts'
import { type Storage, type StorageContext, serviceCallerFor } from '../../Storage.ts'
import { errors } from '../../errors.ts'
import type { Operation } from '../../operations.ts'
import { requestSettings } from '../../requestSettings.ts'
import { type ObjectRow, selectObject } from '../objectRows.ts'

export interface Readable {
  bucket: string
  name: string
  operation: Operation
  /** Null without authentication: then only public buckets are readable. */
  caller: Caller | null
}

/**
 * Reads the bucket and, unless it is public, switches to the caller for the rest of the transaction: objects in public
 * buckets are read without the caller's policies, as upstream does, and others in the same pipeline.
 */
const switchToReader = (bucket: string, { role, claimsJson }: Caller): TransactionStatement => ({
  name: 'storage_become_reader',
  text: `select public, case when not coalesce(public, false) then octet_length(
      concat(set_config('request.jwt.claims', $2, true), set_config('role', $3, true))) end
    from storage.buckets where id = $1`,
  values: [bucket, claimsJson, role],
})

/** With a name of its own: a plan depends on the role, and a connection would replan it at each change of role. */
const selectReadable = (bucket: string, name: string): TransactionStatement => ({
  ...selectObject(bucket, name),
  name: 'storage_select_readable',
})

/**
 * The object if it lies in a public bucket or the caller's policies show it.
 * Throws NoSuchBucket and NoSuchKey; the error is the same for forbidden and missing objects.
 */
export async function findReadableObject(
  storage: Storage,
  c: StorageContext,
  o: Readable,
): Promise<ObjectRow> {
  const reader = o.caller ?? serviceCallerFor(c)
  const readerSettings = await getRoleSettings(storage.pool, reader.role)
  const [found, seen] = await runAsCaller(
    storage.pool,
    {
      caller: serviceCallerFor(c),
      readOnly: true,
      isolation: readerSettings.isolation,
      settings: { ...Object.fromEntries(readerSettings.settings), ...requestSettings(c, o.operation) },
    },
    [switchToReader(o.bucket, reader), selectReadable(o.bucket, o.name)],
  )
  const bucket = found!.rows[0] as { public: boolean | null } | undefined
  if (!bucket || (!o.caller && !bucket.public)) throw errors.noSuchBucket()
  const row = seen!.rows[0] as ObjectRow | undefined
  if (!row) throw errors.noSuchKey()
  return row
}

/** The object of a signed link, for any caller: policies were checked when the link was created. Throws NoSuchKey. */
export async function findSignedObject(
  storage: Storage,
  c: StorageContext,
  o: { bucket: string; name: string; operation: Operation },
): Promise<ObjectRow> {
  const [found] = await runAsCaller(
    storage.pool,
    { caller: serviceCallerFor(c), readOnly: true, settings: requestSettings(c, o.operation) },
    [selectObject(o.bucket, o.name)],
  )
  const row = found!.rows[0] as ObjectRow | undefined
  if (!row) throw errors.noSuchKey()
  return row
}
