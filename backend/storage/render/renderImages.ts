import type { Caller } from '../../../wire/claims.ts'
import { clientOf } from '../../runtime/clientAddress/clientOf.ts'
import { networkOf } from '../../runtime/clientAddress/parseAddress.ts'
import { callerOf } from '../callerOf.ts'
import { findLinked } from '../object/reading/findLinked.ts'
import { findReadable } from '../object/reading/findReadable.ts'
import { targetOf } from '../object/targetOf.ts'
import { tokenOf } from '../object/signing/tokenOf.ts'
import { operations } from '../operations.ts'
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

/** Who asks: a person wherever they are, else the network that they come from. */
const askerOf = (c: StorageContext, caller: Caller | null): string =>
  caller?.claims.sub ?? networkOf(clientOf(c.env.incoming).address)

/** `GET|HEAD /render/image/authenticated/:bucket/*`: needs what reading the object needs. */
export const renderAuthenticatedImage =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const transform = transformOfQuery(c)
    const caller = await callerOf(storage, c)
    const target = targetOf(c)
    return sendRendering(storage, c, transform, {
      find: () => findReadable(storage, c, { ...target, caller, operation: operations.renderImage }),
      by: askerOf(c, caller),
    })
  }

/** `GET|HEAD /render/image/public/:bucket/*`: for anyone, from public buckets alone. */
export const renderPublicImage =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const transform = transformOfQuery(c)
    const target = targetOf(c)
    return sendRendering(storage, c, transform, {
      find: () =>
        findReadable(storage, c, { ...target, caller: null, operation: operations.renderPublicImage }),
      by: askerOf(c, null),
    })
  }

/** `GET|HEAD /render/image/sign/:bucket/*?token=`: as the token says; a query can't ask for another size. */
export const renderSignedImage =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const { bucket, name } = targetOf(c)
    const claims = await storage.signer.verify(tokenOf(c), `${bucket}/${name}`, 'download')
    const transform = parseTransformText(claims.transformations ?? '', claims.format)
    const find = () => findLinked(storage, c, { bucket, name, operation: operations.renderSignedImage })
    return sendRendering(storage, c, transform, { find, by: askerOf(c, null), until: claims.exp })
  }
