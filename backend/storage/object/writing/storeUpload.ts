import { runAsCaller } from '../../../postgres/connections/runAsCaller.ts'
import type { Caller } from '../../../../wire/claims.ts'
import type { Received } from '../../bytes/createByteStore.ts'
import { findBucket } from '../../bucket/findBucket.ts'
import type { BucketRow } from '../../bucket/bucketRows.ts'
import { errors } from '../../errors.ts'
import { requireAllowedType } from '../../mimeType.ts'
import { isFolderPlaceholder } from '../../names.ts'
import type { Operation } from '../../operations.ts'
import { requestSettings } from '../../requestSettings.ts'
import type { Storage, StorageContext } from '../../Storage.ts'
import { commitVersion } from './commitVersion.ts'
import { openUpload } from './openUpload.ts'
import type { Upload } from './openUpload.ts'
import { tryInsert, upsertObject } from '../objectRows.ts'
import type { ObjectDraft, ObjectMetadata } from '../objectRows.ts'

export interface UploadTarget {
  bucket: string
  name: string
  /** The caller whose permissions are checked; the service itself for a signed link. */
  caller: Caller
  owner: string | undefined
  upsert: boolean
  operation: Operation
}

/** Checks the policies by a write as the caller that is rolled back. */
export async function requireWriteAllowed(
  storage: Storage,
  c: StorageContext,
  o: { caller: Caller; operation: Operation; upsert: boolean; draft: Omit<ObjectDraft, 'version'> },
): Promise<void> {
  const draft = { ...o.draft, version: '1' }
  try {
    await runAsCaller(
      storage.pool,
      { caller: o.caller, settings: requestSettings(c, o.operation), rollback: true },
      [o.upsert ? upsertObject(draft) : tryInsert(draft)],
    )
  } catch (error) {
    const isTaken = !o.upsert && (error as { code?: string }).code === '23505'
    throw isTaken ? errors.keyAlreadyExists() : error
  }
}

/** The maximum size of a file in a bucket. */
export function maxFileBytesOf(storage: Storage, bucket: BucketRow, name: string): number {
  if (isFolderPlaceholder(name)) return 0
  return Math.min(storage.maxFileSize, Number(bucket.file_size_limit ?? storage.maxFileSize))
}

/** Checks limits and policies, then writes the bytes to disk. */
async function receiveBytes(
  storage: Storage,
  c: StorageContext,
  target: UploadTarget,
  o: { bucket: BucketRow; upload: Upload },
): Promise<Received> {
  const { upload } = o
  const limit = maxFileBytesOf(storage, o.bucket, target.name)
  if (!isFolderPlaceholder(target.name)) requireAllowedType(upload.mimetype, o.bucket.allowed_mime_types)
  if (!upload.isForm && (upload.declaredLength ?? 0) > limit) throw errors.entityTooLarge()
  const attempt = {
    caller: target.caller,
    operation: target.operation,
    upsert: target.upsert,
    draft: {
      ...draftOf(target, upload),
      metadata: { mimetype: upload.mimetype, contentLength: upload.declaredLength },
    },
  }
  await requireWriteAllowed(storage, c, attempt)
  await storage.bytes.requireSpace(upload.declaredLength ?? 0)
  const received = await storage.bytes.receive(upload.content, limit)
  try {
    await upload.complete()
    // An upload may take long: permissions that were revoked meanwhile no longer apply.
    await requireWriteAllowed(storage, c, attempt)
    return received
  } catch (error) {
    await storage.bytes.discard(received.version)
    throw error
  }
}

const draftOf = (
  target: UploadTarget,
  upload: Upload,
): Pick<ObjectDraft, 'bucket' | 'name' | 'owner' | 'userMetadata'> => ({
  bucket: target.bucket,
  name: target.name,
  owner: target.owner,
  userMetadata: upload.userMetadata,
})

/**
 * Stores the request's file: policies are checked before the body is read and again after it, and the file is synced
 * before the row refers to it. Returns the row's id.
 */
export async function storeUpload(
  storage: Storage,
  c: StorageContext,
  target: UploadTarget,
): Promise<{ id: string }> {
  const bucket = await findBucket(storage, c, target.operation, target.bucket)
  const upload = await openUpload(c.env.incoming)
  const received = await receiveBytes(storage, c, target, { bucket, upload }).catch((error: unknown) => {
    upload.abandon()
    throw error
  })
  const metadata: ObjectMetadata = {
    eTag: received.etag,
    size: received.size,
    mimetype: upload.mimetype,
    cacheControl: upload.cacheControl,
    lastModified: new Date().toISOString(),
    contentLength: received.size,
    httpStatusCode: 200,
    ...(upload.robotsTag !== undefined && { xRobotsTag: upload.robotsTag }),
  }
  return commitVersion(storage, requestSettings(c, target.operation), {
    ...draftOf(target, upload),
    version: received.version,
    metadata,
    userMetadata: upload.userMetadata ?? {},
    writer: target.caller,
    upsert: target.upsert,
  })
}
