import type { Caller } from '../../../wire/claims.ts'
import { clientOf } from '../../runtime/clientAddress/clientOf.ts'
import { networkOf } from '../../runtime/clientAddress/parseAddress.ts'
import { authenticate } from '../authenticate.ts'
import { findSignedObject } from '../object/reading/findSignedObject.ts'
import { findReadableObject } from '../object/reading/findReadableObject.ts'
import { readTarget } from '../object/targetOf.ts'
import { readToken } from '../object/signing/tokenOf.ts'
import { operations } from '../operations.ts'
import type { Storage, StorageContext, StorageRoute } from '../Storage.ts'
import { readTransform } from './readTransform.ts'
import { sendRendering } from './sendRendering.ts'
import type { Transform } from './Transform.ts'
import { parseTransform } from './transformText.ts'

/** A repeated parameter is a list, as upstream, which is not valid for any field. */
function readQueryTransform(c: StorageContext): Transform {
  return readTransform('querystring', (name) => {
    const values = c.req.queries(name)
    return values && values.length > 1 ? values : values?.[0]
  })
}

/** The key of the fair queue: the user, else the network of the client. */
const principalOf = (c: StorageContext, caller: Caller | null): string =>
  caller?.claims.sub ?? networkOf(clientOf(c.env.incoming).address)

/** `GET|HEAD /render/image/authenticated/:bucket/*`: needs the same permissions as reading the object. */
export const renderAuthenticatedImage =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const transform = readQueryTransform(c)
    const caller = await authenticate(storage, c)
    const target = readTarget(c)
    return sendRendering(storage, c, transform, {
      find: () => findReadableObject(storage, c, { ...target, caller, operation: operations.renderImage }),
      principal: principalOf(c, caller),
    })
  }

/** `GET|HEAD /render/image/public/:bucket/*`: for anyone, only from public buckets. */
export const renderPublicImage =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const transform = readQueryTransform(c)
    const target = readTarget(c)
    return sendRendering(storage, c, transform, {
      find: () =>
        findReadableObject(storage, c, { ...target, caller: null, operation: operations.renderPublicImage }),
      principal: principalOf(c, null),
    })
  }

/** `GET|HEAD /render/image/sign/:bucket/*?token=`: as the token specifies; the query can't change the size. */
export const renderSignedImage =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const { bucket, name } = readTarget(c)
    const claims = await storage.signer.verify(readToken(c), `${bucket}/${name}`, 'download')
    const transform = parseTransform(claims.transformations ?? '', claims.format)
    const find = () => findSignedObject(storage, c, { bucket, name, operation: operations.renderSignedImage })
    return sendRendering(storage, c, transform, { find, principal: principalOf(c, null), until: claims.exp })
  }
