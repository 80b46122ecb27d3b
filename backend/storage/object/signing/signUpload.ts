import { authenticate } from '../../authenticate.ts'
import { operations } from '../../operations.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { readDeclaredLength, readUserMetadata } from '../writing/openUpload.ts'
import { requireWriteAllowed } from '../writing/storeUpload.ts'
import { readTarget } from '../readTarget.ts'

/** Validity of an upload link, as on hosted. */
const lifetimeSeconds = 2 * 60 * 60

/**
 * `POST /object/upload/sign/:bucket/*`: needs the permissions of an upload at this time; policies see type, length
 * and `x-metadata` of this request. Returns `{url, token}`.
 */
export const signUpload =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await authenticate(storage, c)
    const { bucket, name } = readTarget(c)
    const { incoming } = c.env
    const { headers } = incoming
    const length = readDeclaredLength(incoming)
    const upsert = headers['x-upsert'] === 'true'
    const owner = caller.claims.sub
    await requireWriteAllowed(storage, c, {
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
        userMetadata: readUserMetadata(incoming),
      },
    })
    const url = `${bucket}/${name}`
    const token = await storage.signer.sign(
      { url, scope: 'upload', upsert, ...(owner !== undefined && { owner }) },
      lifetimeSeconds,
    )
    return c.json({ url: `/object/upload/sign/${url}?token=${token}`, token })
  }
