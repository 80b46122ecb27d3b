import type { StorageContext } from '../Storage.ts'
import { resolvePrincipal } from './UploadPrincipal.ts'
import { findFinished, findUpload } from './findUpload.ts'
import { readTusHeaders } from './readTusHeaders.ts'
import type { ResumableRequest } from './ResumableRequest.ts'
import { resolveUncertain } from './settleUploads.ts'
import { tusErrors } from './TusError.ts'
import type { UploadId } from './uploadId.ts'

/**
 * `HEAD`: the offset to resume from. A chunk in transfer is interrupted first, since the client has lost its connection;
 * a complete upload is reported as complete until its object is replaced. Policies are not checked, as upstream.
 */
export async function describeUpload(
  request: ResumableRequest,
  c: StorageContext,
  id: UploadId,
): Promise<Response> {
  const { storage, uploads } = request
  readTusHeaders(c.env.incoming.headers)
  c.header('Cache-Control', 'no-store')
  const principal = await resolvePrincipal(storage, c, { bearer: request.bearer, target: id })
  const upload = uploads.find(id.version) && findUpload(request, id, principal)
  if (upload) {
    const unlock = await upload.lock.acquire(() => {})
    try {
      await resolveUncertain(storage, uploads, upload)
    } finally {
      unlock()
    }
    if (uploads.find(id.version)) {
      if (uploads.isExpired(upload)) throw tusErrors.gone()
      const { offset, length, metadata } = upload.record
      c.header('Upload-Offset', String(offset))
      if (length === null) c.header('Upload-Defer-Length', '1')
      else c.header('Upload-Length', String(length))
      c.header('Upload-Metadata', metadata)
      c.header('Upload-Expires', new Date(uploads.expiryOf(upload.record)).toUTCString())
      return c.body(null, 200)
    }
  }
  const size = await findFinished(request, c, { id, principal })
  if (size === null) throw tusErrors.notFound()
  c.header('Upload-Offset', String(size))
  c.header('Upload-Length', String(size))
  return c.body(null, 200)
}
