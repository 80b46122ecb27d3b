import type { StorageContext } from '../Storage.ts'
import { resolvePrincipal } from './UploadPrincipal.ts'
import { findFinished, findUpload } from './findUpload.ts'
import { readTusHeaders } from './readTusHeaders.ts'
import { requirePermission, parseObjectMetadata } from './requireUploadAllowed.ts'
import type { ResumableRequest } from './ResumableRequest.ts'
import { resolveUncertain } from './settleUploads.ts'
import { tusErrors } from './TusError.ts'
import type { UploadId } from './uploadId.ts'

/** `DELETE`: needs the permissions of an upload. Deletes the bytes; a complete upload is an object and can't be terminated. */
export async function terminateUpload(
  request: ResumableRequest,
  c: StorageContext,
  id: UploadId,
): Promise<Response> {
  const { storage, uploads, operation } = request
  readTusHeaders(c.env.incoming.headers)
  const principal = await resolvePrincipal(storage, c, { bearer: request.bearer, target: id })
  if (!uploads.find(id.version)) {
    const size = await findFinished(request, c, { id, principal })
    throw size === null ? tusErrors.notFound() : tusErrors.alreadyComplete()
  }
  const upload = findUpload(request, id, principal)
  const planned = { ...upload.record, userMetadata: parseObjectMetadata(upload.record.metadata) }
  await requirePermission(storage, c, { principal, operation, planned })
  const unlock = await upload.lock.acquire(() => {})
  try {
    await resolveUncertain(storage, uploads, upload)
    // Finished or terminated by another request meanwhile.
    if (uploads.find(id.version) !== upload) throw tusErrors.alreadyComplete()
    await uploads.remove(upload)
  } finally {
    unlock()
  }
  return c.body(null, 204)
}
