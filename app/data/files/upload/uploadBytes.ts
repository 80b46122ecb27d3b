import { DetailedError, Upload } from 'tus-js-client'
import type { HttpRequest, UploadOptions } from 'tus-js-client'
import { success, failureFrom } from '../../failures/failures.ts'
import type { Outcome } from '../../failures/failures.ts'
import { getClient } from '../../client/getClient.ts'
import { loadSettings } from '../../client/settings.ts'
import type { UploadResult, UploadControl } from '../../mutations/uploads/fileUploads.ts'
import { StorageError } from '../storageClient.ts'
import { fileUnreadable, filesRefused, fileTooLarge, quotaFailure, serverFull } from './fileFailures.ts'
import { uploadChunkSize } from './maxFileSize.ts'

/** Milliseconds without progress after which a request is aborted, since it has no other timeout. */
const STALL_TIMEOUT_MS = 60_000

export interface UploadInput extends Pick<UploadControl, 'signal'>, Partial<Pick<UploadControl, 'onUrl'>> {
  /** Unused path in the bucket `files`. */
  path: string
  blob: Blob
  type: string
  /** URL of the upload that an earlier attempt has created. */
  url?: string | null
  progress?: (sent: number) => void
}

/** Options of each request, with the current token: an upload takes longer than a token is valid. */
async function requestOptions(canSend: () => boolean): Promise<UploadOptions> {
  const [client, { key }] = await Promise.all([getClient(), loadSettings()])
  return {
    headers: { apikey: key, 'x-upsert': 'false' },
    // The outbox retries, and stores the URL of the upload beyond the page.
    retryDelays: null,
    storeFingerprintForResuming: false,
    onBeforeRequest: async (request: HttpRequest) => {
      const { data } = await client.auth.getSession()
      if (!data.session) throw new StorageError('session_ended', 401, '401')
      // Aborting does not end a request that was opened and not sent yet.
      if (!canSend()) throw new DOMException('halted', 'AbortError')
      request.setHeader('authorization', `Bearer ${data.session.access_token}`)
    },
  }
}

/**
 * Uploads bytes by TUS: in one request if they fit into one; else the upload is created first, so that it can be resumed.
 * `onUrl` receives the URL of the upload. Never rejects.
 */
export async function uploadBytes(bytes: UploadInput): Promise<UploadResult> {
  const { blob, signal, url } = bytes
  const [options, settings] = await Promise.all([requestOptions(() => !signal.aborted), loadSettings()])
  let sent = 0
  let progressed = false
  const ended = await new Promise<Outcome | Error | null>((resolve) => {
    let stallTimer: ReturnType<typeof setTimeout> | undefined
    const end = (result: Outcome | Error | null) => {
      clearTimeout(stallTimer)
      signal.removeEventListener('abort', onAbort)
      resolve(result)
    }
    const restartStallTimer = () => {
      clearTimeout(stallTimer)
      stallTimer = setTimeout(() => {
        void upload.abort()
        end({ ok: false, failure: failureFrom(new TypeError('stalled')) })
      }, STALL_TIMEOUT_MS)
    }
    const upload = new Upload(blob, {
      ...options,
      endpoint: `${settings.url}/storage/v1/upload/resumable`,
      uploadUrl: url ?? null,
      chunkSize: uploadChunkSize,
      uploadDataDuringCreation: blob.size <= uploadChunkSize,
      metadata: {
        bucketName: 'files',
        objectName: bytes.path,
        contentType: bytes.type || 'application/octet-stream',
        // The bytes under a name never change, so clients may cache them. Storage accepts only a number here.
        cacheControl: '31536000',
      },
      onUploadUrlAvailable: () => {
        if (blob.size > uploadChunkSize && upload.url) bytes.onUrl?.(upload.url)
      },
      onProgress: (now) => {
        sent = now
        restartStallTimer()
        bytes.progress?.(now)
      },
      onChunkComplete: () => {
        progressed = true
      },
      onAfterResponse: (request, response) => {
        // Of the responses to the request for the offset, only "not found" means that the upload has to start anew.
        const status = response.getStatus()
        if (request.getMethod() === 'HEAD' && status >= 400 && status !== 404 && status !== 410) {
          throw new StorageError(response.getBody(), status, String(status))
        }
      },
      onSuccess: () => end(success(undefined)),
      onError: (error) => {
        if (hasLostUpload(error)) bytes.onUrl?.(null)
        end(error)
      },
    })
    const onAbort = () => {
      void upload.abort()
      if (signal.reason === 'removed' && upload.url) abandonUpload(upload.url)
      end(null)
    }
    signal.addEventListener('abort', onAbort)
    restartStallTimer()
    if (signal.aborted) onAbort()
    else upload.start()
  })
  const outcome = ended instanceof Error ? await outcomeOf(ended, blob) : ended
  if (outcome?.ok) return outcome
  const failure = outcome?.failure ?? failureFrom(new DOMException('halted', 'AbortError'))
  return { ok: false, failure, sent, progressed }
}

/** Deletes an unfinished upload on the server; best effort, since the server deletes it within a day. */
export function abandonUpload(url: string): void {
  void requestOptions(() => true)
    .then((options) => Upload.terminate(url, options))
    .catch(() => {})
}

/** Whether an upload that was being resumed no longer exists. */
function hasLostUpload(error: Error): boolean {
  if (!(error instanceof DetailedError)) return false
  const status = error.originalResponse?.getStatus()
  return error.originalRequest?.getMethod() === 'PATCH' && (status === 404 || status === 410)
}

async function outcomeOf(error: Error, blob: Blob): Promise<Outcome> {
  const response = error instanceof DetailedError ? error.originalResponse : null
  if (error instanceof DetailedError && response) {
    const status = response.getStatus()
    const body = response.getBody()
    // Completed by an earlier attempt whose response was lost.
    if (status === 409 && !/offset/i.test(body)) return success(undefined)
    const full = quotaFailure(body)
    if (full) return { ok: false, failure: full }
    if (status === 507) return { ok: false, failure: serverFull() }
    if (status === 403) return { ok: false, failure: filesRefused() }
    if (status === 413) return { ok: false, failure: fileTooLarge('', null) }
    const failure = failureFrom(new StorageError(body.trim(), status, String(status)))
    // Another request has locked, continued or removed the upload: the next attempt requests the offset.
    const isTransient = status === 409 || status === 423 || hasLostUpload(error)
    return { ok: false, failure: isTransient ? { ...failure, isRetryable: true } : failure }
  }
  const cause = error instanceof DetailedError ? error.causingError : error
  if (cause instanceof StorageError) return { ok: false, failure: failureFrom(cause) }
  // Browsers report a network error if the file on disk no longer exists.
  if (await isReadable(blob)) return { ok: false, failure: failureFrom(new TypeError('network')) }
  return { ok: false, failure: fileUnreadable('') }
}

async function isReadable(blob: Blob): Promise<boolean> {
  try {
    await blob.slice(0, 1).arrayBuffer()
    return true
  } catch {
    return false
  }
}
