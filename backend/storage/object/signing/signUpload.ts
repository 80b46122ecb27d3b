import { callerOf } from '../../callerOf.ts'
import { operations } from '../../operations.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { declaredLengthOf, metadataOf } from '../writing/openUpload.ts'
import { requireWrite } from '../writing/storeUpload.ts'
import { targetOf } from '../targetOf.ts'

/** Seconds for which a link to upload is good, as on hosted. */
const lifetime = 2 * 60 * 60

/**
 * `POST /object/upload/sign/:bucket/*`: needs what uploading needs, when the link is made; policies read type, length
 * and `x-metadata` of this request. Answers `{url, token}`.
 */
export const signUpload =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await callerOf(storage, c)
    const { bucket, name } = targetOf(c)
    const { incoming } = c.env
    const { headers } = incoming
    const length = declaredLengthOf(incoming)
    const upsert = headers['x-upsert'] === 'true'
    const owner = caller.claims.sub
    await requireWrite(storage, c, {
      caller,
      operation: operations.signUpload,
      upsert,
      draft: {
        bucket,
        name,
        owner,
        metadata: {
          ...(headers['content-type'] && { mimetype: headers['content-type'] }),
          ...(length !== undefined && { contentLength: length }),
        },
        userMetadata: metadataOf(incoming),
      },
    })
    const url = `${bucket}/${name}`
    const token = await storage.signer.sign(
      { url, scope: 'upload', upsert, ...(owner !== undefined && { owner }) },
      lifetime,
    )
    return c.json({ url: `/object/upload/sign/${url}?token=${token}`, token })
  }
