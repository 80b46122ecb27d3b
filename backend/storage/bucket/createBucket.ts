import { runAsCaller } from '../../postgres/connections/runAsCaller.ts'
import { JsonBody } from '../JsonBody.ts'
import type { Storage, StorageRoute } from '../Storage.ts'
import { authenticate } from '../authenticate.ts'
import { errors } from '../errors.ts'
import { parseFileSize } from '../fileSize.ts'
import { requireAllowableTypes } from '../mimeType.ts'
import { requireBucketName } from '../names.ts'
import { readBucketName } from '../object/readTarget.ts'
import { operations } from '../operations.ts'
import { requestSettings } from '../requestSettings.ts'
import { insertBucket, updateBucketRow } from './bucketRows.ts'

/** Reads the two limits of a bucket from a body; an absent limit is undefined. */
function readLimits(
  storage: Storage,
  body: JsonBody,
): { fileSizeLimit: number | null | undefined; allowedMimeTypes: string[] | null | undefined } {
  const size = body.raw('file_size_limit')
  if (size !== undefined && size !== null && typeof size !== 'number' && typeof size !== 'string') {
    throw errors.invalidBody('body/file_size_limit must be integer,null')
  }
  const fileSizeLimit = size === undefined || size === null ? size : parseFileSize(size)
  if (typeof fileSizeLimit === 'number' && fileSizeLimit > storage.maxFileSize) throw errors.entityTooLarge()
  const allowedMimeTypes = body.optionalTexts('allowed_mime_types')?.filter(Boolean)
  if (allowedMimeTypes) requireAllowableTypes(allowedMimeTypes)
  return {
    fileSizeLimit,
    allowedMimeTypes: allowedMimeTypes ?? (body.raw('allowed_mime_types') === null ? null : undefined),
  }
}

/** `POST /bucket`: needs INSERT on buckets. Returns `{name}`. */
export const createBucket =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await authenticate(storage, c)
    const body = await JsonBody.read(c.env.incoming)
    const name = body.text('name')
    const id = body.optionalText('id') || name
    for (const one of [name, id]) {
      // The suffix of upstream's analytics buckets.
      if (one.trim() !== one || one.endsWith('--iceberg')) throw errors.invalidBucketName()
      requireBucketName(one)
    }
    if (body.oneOf('type', ['STANDARD', 'ANALYTICS']) === 'ANALYTICS') {
      throw errors.featureNotEnabled('iceberg_catalog')
    }
    const { fileSizeLimit, allowedMimeTypes } = readLimits(storage, body)
    const draft = {
      id,
      name,
      owner: caller.claims.sub,
      isPublic: body.optionalFlag('public') ?? false,
      fileSizeLimit: fileSizeLimit ?? null,
      allowedMimeTypes: allowedMimeTypes ?? null,
    }
    try {
      await runAsCaller(storage.pool, { caller, settings: requestSettings(c, operations.createBucket) }, [
        insertBucket(draft),
      ])
    } catch (error) {
      if ((error as { code?: string }).code === '23505') throw errors.bucketAlreadyExists()
      throw error
    }
    return c.json({ name })
  }

/** `PUT /bucket/:bucket`: needs SELECT and UPDATE on buckets. */
export const updateBucket =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await authenticate(storage, c)
    const id = readBucketName(c)
    const body = await JsonBody.read(c.env.incoming)
    const change = { isPublic: body.optionalFlag('public'), ...readLimits(storage, body) }
    if (Object.values(change).every((value) => value === undefined)) throw errors.noContentProvided()
    const [updated] = await runAsCaller(
      storage.pool,
      { caller, settings: requestSettings(c, operations.updateBucket) },
      [updateBucketRow(id, change)],
    )
    if (updated!.rowCount === 0) throw errors.noSuchBucket()
    return c.json({ message: 'Successfully updated' })
  }
