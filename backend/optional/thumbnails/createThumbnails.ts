import type { Caller } from '../../../wire/claims.ts'
import { clientOf } from '../../runtime/clientAddress/clientOf.ts'
import { networkOf } from '../../runtime/clientAddress/parseAddress.ts'
import { authenticate } from '../../storage/authenticate.ts'
import { findReadableObject, findSignedObject } from '../../storage/object/reading/findReadableObject.ts'
import { readTarget, readToken } from '../../storage/object/readTarget.ts'
import { operations } from '../../storage/operations.ts'
import type { CreateThumbnails, StorageContext, StorageRoute } from '../../storage/Storage.ts'
import { createRenderings } from './createRenderings.ts'
import { readTransform, type Transform } from './readTransform.ts'
import { sendRendering, type ThumbnailContext } from './sendRendering.ts'
import { formatTransform, parseTransform } from './transformText.ts'

/**
 * Reads the transformation of a query. A repeated parameter is a list, as upstream, and a list is valid for no field.
 */
function readQueryTransform(c: StorageContext): Transform {
  return readTransform('querystring', (name) => {
    const values = c.req.queries(name)
    return values && values.length > 1 ? values : values?.[0]
  })
}

/** Returns the key of the fair queue: the user, else the network of the client. */
const principalOf = (c: StorageContext, caller: Caller | null): string =>
  caller?.claims.sub ?? networkOf(clientOf(c.env.incoming).address)

/** `GET|HEAD /render/image/authenticated/:bucket/*`: needs the same permissions as reading the object. */
const renderAuthenticatedImage =
  (storage: ThumbnailContext): StorageRoute =>
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
const renderPublicImage =
  (storage: ThumbnailContext): StorageRoute =>
  async (c) => {
    const transform = readQueryTransform(c)
    const target = readTarget(c)
    return sendRendering(storage, c, transform, {
      find: () =>
        findReadableObject(storage, c, { ...target, caller: null, operation: operations.renderPublicImage }),
      principal: principalOf(c, null),
    })
  }

/**
 * `GET|HEAD /render/image/sign/:bucket/*?token=`: renders as the token specifies; the query can't change the size.
 */
const renderSignedImage =
  (storage: ThumbnailContext): StorageRoute =>
  async (c) => {
    const { bucket, name } = readTarget(c)
    const claims = await storage.signer.verify(readToken(c), `${bucket}/${name}`, 'download')
    const transform = parseTransform(claims.transformations ?? '', claims.format)
    const find = () => findSignedObject(storage, c, { bucket, name, operation: operations.renderSignedImage })
    return sendRendering(storage, c, transform, { find, principal: principalOf(c, null), until: claims.exp })
  }

/** Creates image transformations with upstream's routes. */
export const createThumbnails: CreateThumbnails = ({ dir, bytes }) => {
  const renderings = createRenderings({ dir, bytes })
  return {
    addRoutes(app, storage) {
      const context = { ...storage, renderings }
      const object = '/:bucket/:name{[\\s\\S]+}'
      app.get(`/render/image/authenticated${object}`, renderAuthenticatedImage(context))
      app.get(`/render/image/public${object}`, renderPublicImage(context))
      app.get(`/render/image/sign${object}`, renderSignedImage(context))
    },
    readClaims(body) {
      const transform = readTransform('body/transform', (name) => body.raw(name))
      const transformations = formatTransform(transform)
      return {
        ...(transformations && { transformations }),
        ...(transform.format && { format: transform.format }),
      }
    },
    discard: renderings.remove,
    load: renderings.loadCache,
    close: renderings.close,
  }
}
