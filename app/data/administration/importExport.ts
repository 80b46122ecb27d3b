import { i18n } from '@lingui/core'
import { DetailedError, Upload, type HttpRequest } from 'tus-js-client'
import type { ImportReport, StartImport, WorkspaceImport, WorkspaceImports } from '../../../wire/moving.ts'
import { attempt, failureFrom, success, type Outcome } from '../failures/failures.ts'
import { createQuery, setAfter } from '../queries/createQuery.ts'
import { workspaceId } from '../workspaces/workspace.ts'
import { sendMoving } from './exports.ts'
import { NO_SERVER, serverRequest } from './sendToServer.ts'

/** The import of the workspace for owners; null if the project is a hosted one, which has no such server. */
export const workspaceImports = createQuery({
  maxStored: 1,
  fetch: async (): Promise<Outcome<WorkspaceImports | null>> => {
    const outcome = await sendMoving<WorkspaceImports>({ method: 'GET', path: 'imports' })
    return !outcome.ok && outcome.failure.name === NO_SERVER ? success(null) : outcome
  },
})

/** What the import would do; for its review. */
export const importPreview = createQuery({
  fetch: (id: string) => sendMoving<ImportReport>({ method: 'GET', path: `imports/${id}/preview` }),
})

/** What the import has done. */
export const importReceipt = createQuery({
  fetch: (id: string) => sendMoving<ImportReport>({ method: 'GET', path: `imports/${id}/receipt` }),
})

type Change = Promise<Outcome<WorkspaceImports | null>>

const post = ({ id }: WorkspaceImport, action: string, body: object): Change =>
  setAfter(workspaceImports, [], sendMoving({ method: 'POST', path: `imports/${id}/${action}`, body }))

/** Makes a preview of an uploaded export. */
export const previewImport = (
  found: WorkspaceImport,
  product: string,
  options: Record<string, string>,
): Change => post(found, 'preview', { product, options })

/** Starts an import. */
export const startImport = (
  found: WorkspaceImport,
  o: Required<Pick<StartImport, 'choices' | 'name' | 'fetchesFiles'>>,
): Change => post(found, 'start', o)

/** Continues an import that was interrupted. */
export const continueImport = (found: WorkspaceImport): Change => post(found, 'start', {})

/** Interrupts an import or its preview. */
export const cancelImport = (found: WorkspaceImport): Change => post(found, 'cancel', {})

/** Deletes the file and the state of an import on the server. Messages that it has written stay. */
export const removeImport = ({ id }: WorkspaceImport): Change =>
  setAfter(workspaceImports, [], sendMoving({ method: 'DELETE', path: `imports/${id}` }))

/** Bytes of a request. The server also stores the bytes of a request that breaks off, and proxies often refuse larger ones than 100 MB. */
const CHUNK_BYTES = 64 * 1024 * 1024
/** Delays (ms) before a request is repeated. After progress, they begin again. */
const RETRY_DELAYS_MS = [0, 1_000, 3_000, 5_000, 10_000, 20_000, 30_000, 60_000]

/**
 * Uploads an export, and resolves when the server has all of it. It continues the upload that the server has begun, if the file has
 * the same name and size.
 */
export async function uploadExport(
  file: File,
  begun: WorkspaceImport | null,
  o: { signal: AbortSignal; onProgress: (bytes: number) => void },
): Promise<Outcome> {
  const { url } = await serverRequest()
  const base = `${url}/server/v1/imports/uploads`
  const query = `?workspace=${workspaceId()}`
  const isSame = begun?.state === 'uploading' && begun.fileName === file.name && begun.size === file.size
  const outcome = await attempt(
    () =>
      new Promise<Outcome>((resolve) => {
        const upload = new Upload(file, {
          endpoint: `${base}${query}`,
          uploadUrl: isSame ? `${base}/${begun.id}${query}` : null,
          chunkSize: CHUNK_BYTES,
          retryDelays: RETRY_DELAYS_MS,
          storeFingerprintForResuming: false,
          metadata: { filename: file.name },
          onBeforeRequest: async (request: HttpRequest) => {
            // An upload takes longer than a token is valid.
            const { headers } = await serverRequest()
            for (const [name, value] of Object.entries(headers)) request.setHeader(name, value)
          },
          onProgress: o.onProgress,
          onSuccess: () => resolve(success(undefined)),
          onError: (error) => resolve(failureOf(error)),
        })
        o.signal.addEventListener('abort', () => {
          void upload.abort()
          resolve(success(undefined))
        })
        upload.start()
      }),
  )
  workspaceImports.invalidate()
  return outcome
}

function failureOf(error: Error): Outcome {
  const response = error instanceof DetailedError ? error.originalResponse : null
  const status = response?.getStatus() ?? 0
  const failure = failureFrom(status === 0 ? new TypeError('network') : { status }, status)
  const sentence = uploadSentence(status)
  return { ok: false, failure: sentence === null ? failure : { ...failure, message: sentence } }
}

function uploadSentence(status: number): string | null {
  if (status === 413)
    return i18n._('The file is larger than 20 GB. Import it on the command line of the server.')
  if (status === 507) return i18n._('The disk of the server doesn’t have enough space for this.')
  return null
}
