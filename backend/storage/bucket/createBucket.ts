import { asCaller } from '../../postgres/connections/asCaller.ts'
import { authenticate } from '../authenticate.ts'
import { errors } from '../errors.ts'
import { JsonBody } from '../JsonBody.ts'
import { requireBucketName } from '../names.ts'
import { operations } from '../operations.ts'
import { requestSettings } from '../requestSettings.ts'
import type { Storage, StorageRoute } from '../Storage.ts'
import { readLimits } from './readLimits.ts'
import { insertBucket } from './rows.ts'

/** `POST /bucket`: needs INSERT on buckets. Answers `{name}`. */
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
      await asCaller(storage.pool, { caller, settings: requestSettings(c, operations.createBucket) }, [
        insertBucket(draft),
      ])
    } catch (error) {
      if ((error as { code?: string }).code === '23505') throw errors.bucketAlreadyExists()
      throw error
    }
    return c.json({ name })
  }
