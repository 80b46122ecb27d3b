import { runAsCaller } from '../../postgres/connections/runAsCaller.ts'
import { requestSettings } from '../requestSettings.ts'
import { serviceCallerFor } from '../Storage.ts'
import type { StorageContext } from '../Storage.ts'
import { isTrusted, canAccess } from './UploadPrincipal.ts'
import type { UploadPrincipal } from './UploadPrincipal.ts'
import type { OpenUpload } from './createUploadStore.ts'
import type { ResumableRequest } from './ResumableRequest.ts'
import { tusErrors } from './TusError.ts'
import type { UploadId } from './uploadId.ts'

/** The upload with that id; throws 404 where there is none, or it belongs to somebody else. */
export function findUpload(
  { uploads }: ResumableRequest,
  id: UploadId,
  principal: UploadPrincipal,
): OpenUpload {
  const upload = uploads.find(id.version)
  if (!upload || !isOf(upload, id) || !canAccess(principal, upload.record.by)) throw tusErrors.notFound()
  return upload
}

const isOf = ({ record }: OpenUpload, id: UploadId): boolean =>
  record.bucket === id.bucket && record.name === id.name

/**
 * The size of the object that an upload has created, for a client that missed the response to its last chunk. Null where
 * there is no such object, it belongs to somebody else, or it was replaced since.
 */
export async function findFinished(
  { storage, operation }: ResumableRequest,
  c: StorageContext,
  o: { id: UploadId; principal: UploadPrincipal },
): Promise<number | null> {
  const { bucket, name, version } = o.id
  const [found] = await runAsCaller(
    storage.pool,
    { caller: serviceCallerFor(c), readOnly: true, settings: requestSettings(c, operation) },
    [
      {
        name: 'storage_select_finished',
        text: `select owner_id, (metadata ->> 'size')::bigint as size from storage.objects
          where bucket_id = $1 and name = $2 and version = $3`,
        values: [bucket, name, version],
      },
    ],
  )
  const row = found!.rows[0] as { owner_id: string | null; size: string } | undefined
  if (!row) return null
  const isOwn = (row.owner_id ?? undefined) === o.principal.owner
  return isOwn || isTrusted(o.principal) ? Number(row.size) : null
}
