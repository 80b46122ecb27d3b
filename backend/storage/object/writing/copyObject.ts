import { asCaller } from '../../../postgres/connections/asCaller.ts'
import { callerOf } from '../../callerOf.ts'
import { failures } from '../../failures.ts'
import { JsonBody } from '../../JsonBody.ts'
import { cleanMimeType } from '../../mimeType.ts'
import { requireBucketName, requireObjectName } from '../../names.ts'
import { operations } from '../../operations.ts'
import { settingsFor } from '../../settingsFor.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { commitVersion } from './commitVersion.ts'
import { cleanCacheControl, parseUserMetadata } from './openUpload.ts'
import { selectObject } from '../rows.ts'
import type { ObjectMetadata, ObjectRow } from '../rows.ts'
import { requireWrite } from './storeUpload.ts'

/**
 * `POST /object/copy` with `{bucketId, sourceKey, destinationBucket?, destinationKey, copyMetadata?,
 * metadata?}`: needs SELECT on the source and INSERT on the copy, with `x-upsert` UPDATE too.
 */
export const copyObject =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await callerOf(storage, c)
    const body = await JsonBody.read(c.env.incoming)
    const source = { bucket: body.text('bucketId'), name: body.text('sourceKey') }
    const bucket = body.optionalText('destinationBucket') || source.bucket
    const name = body.text('destinationKey')
    requireBucketName(source.bucket)
    requireBucketName(bucket)
    requireObjectName(name)
    const settings = settingsFor(c, operations.copyObject)

    const [found] = await asCaller(storage.pool, { caller, settings, readOnly: true }, [
      selectObject(source.bucket, source.name),
    ])
    const original = found!.rows[0] as ObjectRow | undefined
    if (!original?.version) throw failures.noSuchKey()

    const metadata: ObjectMetadata = { ...original.metadata, lastModified: new Date().toISOString() }
    let userMetadata = original.user_metadata ?? null
    if (body.optionalFlag('copyMetadata') === false) {
      const other = body.optionalObject('metadata')
      const type = other?.optionalText('mimetype')
      const cache = other?.optionalText('cacheControl')
      if (type !== undefined) metadata.mimetype = cleanMimeType(type)
      if (cache !== undefined) metadata.cacheControl = cleanCacheControl(cache)
      const header = c.env.incoming.headers['x-metadata']
      userMetadata =
        typeof header === 'string' ? parseUserMetadata(Buffer.from(header, 'base64').toString('utf8')) : null
    }
    const upsert = c.env.incoming.headers['x-upsert'] === 'true'
    const draft = { bucket, name, owner: caller.claims.sub, metadata, userMetadata }
    await requireWrite(storage, c, { caller, operation: operations.copyObject, upsert, draft })

    const version = await storage.bytes.duplicate(original.version)
    if (version === null) throw failures.missingBytes()
    const { id } = await commitVersion(storage, settings, { ...draft, version, upsert })
    return c.json({ Id: id, Key: `${bucket}/${name}`, id, name, bucket_id: bucket, version, metadata })
  }
