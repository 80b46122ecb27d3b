import { runAsCaller } from '../../../postgres/connections/runAsCaller.ts'
import { authenticate } from '../../authenticate.ts'
import { errors } from '../../errors.ts'
import { JsonBody } from '../../JsonBody.ts'
import { cleanMimeType } from '../../mimeType.ts'
import { requireBucketName, requireObjectName } from '../../names.ts'
import { operations } from '../../operations.ts'
import { requestSettings } from '../../requestSettings.ts'
import type { Storage, StorageContext, StorageRoute } from '../../Storage.ts'
import { commitVersion } from './commitVersion.ts'
import { cleanCacheControl, parseUserMetadata } from './openUpload.ts'
import { selectObject } from '../objectRows.ts'
import type { ObjectMetadata, ObjectRow } from '../objectRows.ts'
import { requireWriteAllowed } from './storeUpload.ts'
import { requireWithinLimits } from './requireWithinLimits.ts'

/** How often the source is read again when its file was replaced meanwhile. */
const maxAttempts = 5

/** Metadata of the copy instead of the source's; null where that is copied. */
function readChange(
  c: StorageContext,
  body: JsonBody,
): { metadata: ObjectMetadata; userMetadata: Record<string, unknown> | null } | null {
  if (body.optionalFlag('copyMetadata') !== false) return null
  const other = body.optionalObject('metadata')
  const type = other?.optionalText('mimetype')
  const cache = other?.optionalText('cacheControl')
  const header = c.env.incoming.headers['x-metadata']
  return {
    metadata: {
      ...(type !== undefined && { mimetype: cleanMimeType(type) }),
      ...(cache !== undefined && { cacheControl: cleanCacheControl(cache) }),
    },
    userMetadata:
      typeof header === 'string' ? parseUserMetadata(Buffer.from(header, 'base64').toString('utf8')) : null,
  }
}

/**
 * `POST /object/copy` with `{bucketId, sourceKey, destinationBucket?, destinationKey, copyMetadata?,
 * metadata?}`: needs SELECT on the source and INSERT on the copy, with `x-upsert` UPDATE too.
 */
export const copyObject =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await authenticate(storage, c)
    const body = await JsonBody.read(c.env.incoming)
    const source = { bucket: body.text('bucketId'), name: body.text('sourceKey') }
    const bucket = body.optionalText('destinationBucket') || source.bucket
    const name = body.text('destinationKey')
    requireBucketName(source.bucket)
    requireBucketName(bucket)
    requireObjectName(name)
    const settings = requestSettings(c, operations.copyObject)

    const upsert = c.env.incoming.headers['x-upsert'] === 'true'
    const change = readChange(c, body)
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const [found] = await runAsCaller(storage.pool, { caller, settings, readOnly: true }, [
        selectObject(source.bucket, source.name),
      ])
      const original = found!.rows[0] as ObjectRow | undefined
      if (!original?.version) throw errors.noSuchKey()
      const metadata = {
        ...original.metadata,
        ...change?.metadata,
        lastModified: new Date().toISOString(),
      }
      const userMetadata = change ? change.userMetadata : (original.user_metadata ?? null)
      const draft = { bucket, name, owner: caller.claims.sub, metadata, userMetadata }
      await requireWriteAllowed(storage, c, { caller, operation: operations.copyObject, upsert, draft })
      await requireWithinLimits(storage, c, { bucket, name, metadata, operation: operations.copyObject })
      await storage.bytes.requireSpace(metadata.size ?? 0)
      const version = await storage.bytes.duplicate(original.version)
      // Without a file it was overwritten or deleted after it was read.
      if (version === null) continue
      const { id } = await commitVersion(storage, settings, { ...draft, version, writer: caller, upsert })
      return c.json({ Id: id, Key: `${bucket}/${name}`, id, name, bucket_id: bucket, version, metadata })
    }
    throw errors.missingBytes()
  }
