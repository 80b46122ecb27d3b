import { asCaller } from '../../postgres/connections/asCaller.ts'
import { callerOf } from '../callerOf.ts'
import { failures } from '../failures.ts'
import { findReadable } from '../object/reading/findReadable.ts'
import { selectObject } from '../object/rows.ts'
import type { ObjectRow } from '../object/rows.ts'
import { targetOf } from '../object/targetOf.ts'
import { tokenOf } from '../object/signing/tokenOf.ts'
import { operations } from '../operations.ts'
import { settingsFor } from '../settingsFor.ts'
import { serviceCaller } from '../Storage.ts'
import type { Storage, StorageContext, StorageRoute } from '../Storage.ts'
import { readTransform } from './readTransform.ts'
import { sendRendering } from './sendRendering.ts'
import type { Transform } from './Transform.ts'
import { parseTransformText } from './transformText.ts'

/** A field said twice is a list to upstream, and no list is an integer or a choice. */
function transformOfQuery(c: StorageContext): Transform {
  return readTransform('querystring', (name) => {
    const values = c.req.queries(name)
    return values && values.length > 1 ? values : values?.[0]
  })
}

/** `GET|HEAD /render/image/authenticated/:bucket/*`: needs what reading the object needs. */
export const renderAuthenticatedImage =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const transform = transformOfQuery(c)
    const caller = await callerOf(storage, c)
    const target = targetOf(c)
    return sendRendering(storage, c, transform, () =>
      findReadable(storage, c, { ...target, caller, operation: operations.renderImage }),
    )
  }

/** `GET|HEAD /render/image/public/:bucket/*`: for anyone, from public buckets alone. */
export const renderPublicImage =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const transform = transformOfQuery(c)
    const target = targetOf(c)
    return sendRendering(storage, c, transform, () =>
      findReadable(storage, c, { ...target, caller: null, operation: operations.renderPublicImage }),
    )
  }

/** `GET|HEAD /render/image/sign/:bucket/*?token=`: as the token says; a query can't ask for another size. */
export const renderSignedImage =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const { bucket, name } = targetOf(c)
    const claims = await storage.signer.verify(tokenOf(c), `${bucket}/${name}`, 'download')
    const transform = parseTransformText(claims.transformations ?? '', claims.format)
    const settings = settingsFor(c, operations.renderSignedImage)
    const find = async (): Promise<ObjectRow> => {
      const [found] = await asCaller(storage.pool, { caller: serviceCaller, readOnly: true, settings }, [
        selectObject(bucket, name),
      ])
      const row = found!.rows[0] as ObjectRow | undefined
      if (!row) throw failures.noSuchKey()
      return row
    }
    return sendRendering(storage, c, transform, find, claims.exp)
  }
