import type { Hono } from 'hono'
import { toStorageError } from '../toStorageError.ts'
import { errors } from '../errors.ts'
import { operations } from '../operations.ts'
import type { Operation } from '../operations.ts'
import type { Storage, StorageContext, StorageEnv } from '../Storage.ts'
import { bearerPrincipal } from './UploadPrincipal.ts'
import { createUpload } from './createUpload.ts'
import { checksumAlgorithms } from './checksum.ts'
import { continueUpload } from './continueUpload.ts'
import type { UploadStore } from './createUploadStore.ts'
import { describeUpload } from './describeUpload.ts'
import { terminateUpload } from './terminateUpload.ts'
import { TusError, tusErrors } from './TusError.ts'
import type { ResumableRequest } from './ResumableRequest.ts'
import { parseUploadId } from './uploadId.ts'

export interface ResumableOptions {
  storage: Storage
  uploads: UploadStore
  /** Milliseconds since 1970. */
  now: () => number
  /** The public URL of this installation, if configured. */
  publicUrl: string | null
}

const extensions = [
  'creation',
  'creation-with-upload',
  'creation-defer-length',
  'expiration',
  'checksum',
  'termination',
]

const operationsWithToken: Record<string, Operation> = {
  POST: operations.createUpload,
  PATCH: operations.continueUpload,
  HEAD: operations.describeUpload,
  DELETE: operations.terminateUpload,
}

const operationsWithSignature: Record<string, Operation> = {
  POST: operations.createUploadSigned,
  PATCH: operations.continueUploadSigned,
  HEAD: operations.describeUploadSigned,
  DELETE: operations.terminateUploadSigned,
}

/**
 * Returns the method of a request. The protocol allows POST with the actual method in a header, for proxies that
 * support few methods.
 */
function methodOf(c: StorageContext): string {
  const override = c.env.incoming.headers['x-http-method-override']
  return c.req.method === 'POST' && typeof override === 'string' ? override.toUpperCase() : c.req.method
}

function describeService(c: StorageContext, storage: Storage): Response {
  c.header('Tus-Version', '1.0.0')
  c.header('Tus-Extension', extensions.join(','))
  c.header('Tus-Max-Size', String(storage.maxFileSize))
  c.header('Tus-Checksum-Algorithm', checksumAlgorithms.join(','))
  return c.body(null, 204)
}

function handleMethod(
  request: ResumableRequest,
  c: StorageContext,
  o: { method: string; id: string },
): Promise<Response> {
  if (o.method === 'POST') return createUpload(request, c)
  if (o.id === '') throw tusErrors.notFound()
  const id = parseUploadId(o.id)
  if (o.method === 'PATCH') return continueUpload(request, c, id)
  if (o.method === 'HEAD') return describeUpload(request, c, id)
  return terminateUpload(request, c, id)
}

/**
 * Renders an error of this protocol as text, like upstream. It has the HTTP status that other errors have only in
 * their body.
 */
function renderError(c: StorageContext, error: unknown): Response {
  if (error instanceof TusError) {
    for (const [name, value] of Object.entries(error.headers)) c.header(name, value)
    return c.text(error.message, error.status as 400)
  }
  const failure = toStorageError(error)
  if (failure.statusCode < 500 && failure.statusCode !== 429) {
    return c.text(failure.message, failure.statusCode as 400)
  }
  throw error
}

/** Adds the routes of TUS 1.0: `/upload/resumable` with tokens, and `/upload/resumable/sign` with `x-signature`. */
export function addResumableRoutes(app: Hono<StorageEnv>, o: ResumableOptions): void {
  const at = '/upload/resumable'
  // An absolute URL would be wrong behind an unknown proxy, and the Host header is not trusted: without a public URL the
  // client resolves the path against the URL that it used.
  const base = `${o.publicUrl?.replace(/\/+$/, '') ?? ''}/storage/v1${at}`

  const handle = async (c: StorageContext): Promise<Response> => {
    const method = methodOf(c)
    if (method === 'OPTIONS') return describeService(c, o.storage)
    const [, isSigned, id = ''] =
      /\/upload\/resumable(\/sign(?=\/|$))?(?:\/([^/]*))?\/?$/.exec(c.req.path) ?? []
    const operation = (isSigned ? operationsWithSignature : operationsWithToken)[method]
    if (!operation) throw errors.noRoute(c.req.method, c.req.path)
    c.header('Tus-Resumable', '1.0.0')
    const request: ResumableRequest = {
      ...o,
      operation,
      root: isSigned ? `${base}/sign` : base,
      bearer: isSigned ? null : await bearerPrincipal(o.storage, c),
    }
    try {
      return await handleMethod(request, c, { method, id })
    } catch (error) {
      return renderError(c, error)
    }
  }
  app.all(at, handle)
  app.all(`${at}/*`, handle)
}
