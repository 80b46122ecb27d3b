import { asCaller } from '../../../postgres/connections/asCaller.ts'
import { callerOf } from '../../callerOf.ts'
import { failures } from '../../failures.ts'
import { JsonBody } from '../../JsonBody.ts'
import { operations } from '../../operations.ts'
import { readTransform } from '../../render/readTransform.ts'
import { transformText } from '../../render/transformText.ts'
import { settingsFor } from '../../settingsFor.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import { selectNames } from '../rows.ts'
import { expiryOf } from './signManyObjects.ts'
import { targetOf } from '../targetOf.ts'

/** `POST /object/sign/:bucket/*` with `{expiresIn, transform}`: needs SELECT. Answers `{signedURL}`. */
export const signObject =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await callerOf(storage, c)
    const { bucket, name } = targetOf(c)
    const body = await JsonBody.read(c.env.incoming)
    const seconds = expiryOf(body)
    const transform = body.optionalObject('transform')
    const asked =
      storage.rendersImages && transform ? readTransform('body/transform', (name) => transform.raw(name)) : {}
    const [found] = await asCaller(
      storage.pool,
      { caller, readOnly: true, settings: settingsFor(c, operations.signObject) },
      [selectNames(bucket, [name])],
    )
    if (found!.rowCount === 0) throw failures.noSuchKey()
    const url = `${bucket}/${name}`
    const transformations = transformText(asked)
    const token = await storage.signer.sign(
      {
        url,
        scope: 'download',
        ...(transformations && { transformations }),
        ...(asked.format && { format: asked.format }),
      },
      seconds,
    )
    const room = transformations ? 'render/image' : 'object'
    return c.json({ signedURL: `/${room}/sign/${url}?token=${token}` })
  }
