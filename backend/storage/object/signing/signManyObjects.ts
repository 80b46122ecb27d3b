import { runAsCaller } from '../../../postgres/connections/runAsCaller.ts'
import { readBucketName } from '../readTarget.ts'
import { authenticate } from '../../authenticate.ts'
import { errors } from '../../errors.ts'
import { JsonBody } from '../../JsonBody.ts'
import { operations } from '../../operations.ts'
import { requestSettings } from '../../requestSettings.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { selectNames } from '../objectRows.ts'

/** Names in one request. */
const maxPaths = 1000

/** The latest expiry of a link in seconds since 1970, as upstream's: a safe integer in milliseconds. */
const maxExpiry = Math.floor(Number.MAX_SAFE_INTEGER / 1000)

/** `expiresIn` in seconds, at least one. Throws InvalidParameter where the link would end too late. */
export function readExpiresIn(body: JsonBody): number {
  const seconds = body.optionalInteger('expiresIn', 1, Number.MAX_SAFE_INTEGER)
  if (seconds === undefined) throw errors.invalidBody("body must have required property 'expiresIn'")
  if (seconds > maxExpiry - Math.floor(Date.now() / 1000)) throw errors.invalidParameter('expiresIn')
  return seconds
}

/**
 * `POST /object/sign/:bucket` with `{expiresIn, paths}`: needs SELECT, object by object. Returns one
 * entry for each path; the error is the same for missing and forbidden objects.
 */
export const signManyObjects =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await authenticate(storage, c)
    const bucket = readBucketName(c)
    const body = await JsonBody.read(c.env.incoming)
    const seconds = readExpiresIn(body)
    const tooMany = errors.invalidBody(`body/paths must NOT have more than ${maxPaths} items`)
    const paths = body.texts('paths', maxPaths, tooMany)
    const [found] = await runAsCaller(
      storage.pool,
      { caller, readOnly: true, settings: requestSettings(c, operations.signObjects) },
      [selectNames(bucket, paths)],
    )
    const seen = new Set(found!.rows.map((row: { name: string }) => row.name))
    const signed = await Promise.all(
      paths.map(async (path) => {
        if (!seen.has(path)) {
          const error = 'Either the object does not exist or you do not have access to it'
          return { error, path, signedURL: null }
        }
        const url = `${bucket}/${path}`
        const token = await storage.signer.sign({ url, scope: 'download' }, seconds)
        return { error: null, path, signedURL: `/object/sign/${url}?token=${token}` }
      }),
    )
    return c.json(signed)
  }
