import { runAsCaller } from '../../../postgres/connections/runAsCaller.ts'
import { authenticate } from '../../authenticate.ts'
import { errors } from '../../errors.ts'
import { JsonBody } from '../../JsonBody.ts'
import { operations } from '../../operations.ts'
import { requestSettings } from '../../requestSettings.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { selectNames } from '../objectRows.ts'
import { readExpiresIn } from './signManyObjects.ts'
import { readTarget } from '../readTarget.ts'

/** `POST /object/sign/:bucket/*` with `{expiresIn, transform}`: needs SELECT. Returns `{signedURL}`. */
export const signObject =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await authenticate(storage, c)
    const { bucket, name } = readTarget(c)
    const body = await JsonBody.read(c.env.incoming)
    const seconds = readExpiresIn(body)
    const transform = body.optionalObject('transform')
    const claims = (transform && storage.thumbnails?.readClaims(transform)) ?? {}
    const [found] = await runAsCaller(
      storage.pool,
      { caller, readOnly: true, settings: requestSettings(c, operations.signObject) },
      [selectNames(bucket, [name])],
    )
    if (found!.rowCount === 0) throw errors.noSuchKey()
    const url = `${bucket}/${name}`
    const token = await storage.signer.sign({ url, scope: 'download', ...claims }, seconds)
    const endpoint = claims.transformations ? 'render/image' : 'object'
    return c.json({ signedURL: `/${endpoint}/sign/${url}?token=${token}` })
  }
