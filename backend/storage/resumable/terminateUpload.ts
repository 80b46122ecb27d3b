import type { StorageContext } from '../Storage.ts'
import { askerOf } from './askerOf.ts'
import { findFinished, findUpload } from './findUpload.ts'
import { readProtocol } from './readProtocol.ts'
import { requireRight, userMetadataOf } from './requireUpload.ts'
import type { ResumableRequest } from './ResumableRequest.ts'
import { settleUncertain } from './settleUploads.ts'
import { tusFailures } from './TusFailure.ts'
import type { UploadId } from './uploadId.ts'

/** `DELETE`: needs what uploading needs. The bytes go; a complete upload is an object, and no longer to be ended. */
export async function terminateUpload(
  request: ResumableRequest,
  c: StorageContext,
  id: UploadId,
): Promise<Response> {
  const { storage, uploads, operation } = request
  readProtocol(c.env.incoming.headers)
  const asker = await askerOf(storage, c, { bearer: request.bearer, target: id })
  if (!uploads.find(id.version)) {
    const size = await findFinished(request, c, { id, asker })
    throw size === null ? tusFailures.notFound() : tusFailures.alreadyComplete()
  }
  const upload = findUpload(request, id, asker)
  const planned = { ...upload.record, userMetadata: userMetadataOf(upload.record.metadata) }
  await requireRight(storage, c, { asker, operation, planned })
  const unlock = await upload.lock.acquire(() => {})
  try {
    await settleUncertain(storage, uploads, upload)
    // Finished, or ended by someone else, while we waited.
    if (uploads.find(id.version) !== upload) throw tusFailures.alreadyComplete()
    await uploads.remove(upload)
  } finally {
    unlock()
  }
  return c.body(null, 204)
}
