import { pipeline } from 'node:stream/promises'
import { alreadySent } from '../../storage/alreadySent.ts'
import { errors } from '../../storage/errors.ts'
import { contentDisposition, readDownloadName } from '../../storage/object/reading/contentDisposition.ts'
import { limitCaching, objectHeaders } from '../../storage/object/reading/objectHeaders.ts'
import { isNotModified } from '../../storage/object/reading/conditionalRequests.ts'
import type { ObjectRow } from '../../storage/object/objectRows.ts'
import type { Storage, StorageContext } from '../../storage/Storage.ts'
import type { CachedRendering } from './createRenderCache.ts'
import type { Renderings } from './createRenderings.ts'
import { negotiateFormat } from './planRendering.ts'
import type { Transform } from './readTransform.ts'
import { formatAppliedTransform } from './transformText.ts'

/** The storage service, and its thumbnails. */
export interface ThumbnailContext extends Storage {
  renderings: Renderings
}

/** Responses up to this size are read at once, larger ones in chunks of this size. */
const maxBufferedBytes = 256 * 1024

/** How often the row is read again when its version was replaced meanwhile. */
const maxAttempts = 5

async function sendBytes(
  c: StorageContext,
  rendering: CachedRendering,
  fields: Record<string, string>,
): Promise<Response> {
  if (c.req.method === 'HEAD') return c.body(null, 200, fields)
  const whole = { first: 0, last: rendering.size - 1 }
  const { outgoing } = c.env
  // Written directly to Node's response, as in sendObject.
  if (rendering.size <= maxBufferedBytes) {
    const bytes = await rendering.read(whole)
    outgoing.writeHead(200, fields).end(bytes)
  } else {
    outgoing.writeHead(200, fields)
    await pipeline(rendering.stream(whole, maxBufferedBytes), outgoing).catch(() => outgoing.destroy())
  }
  return alreadySent
}

/**
 * Sends a thumbnail of an object: 200, or 304 without rendering. The ETag is specific to the transformation; upstream
 * sends the object's own with every size, so that caches mix them up.
 * @param o.find reads the row as the caller; called again when an overwrite removed the version meanwhile
 * @param o.principal the key of the fair queue
 * @param o.until expiry of the link, see `limitCaching`
 */
export async function sendRendering(
  storage: ThumbnailContext,
  c: StorageContext,
  transform: Transform,
  { find, principal, until }: { find: () => Promise<ObjectRow>; principal: string; until?: number },
): Promise<Response> {
  const { headers } = c.env.incoming
  const preference = negotiateFormat(transform, headers.accept)
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const row = await find()
    if (!row.version) throw errors.missingBytes()
    const metadata = objectHeaders(row)
    const etag = `"${storage.renderings.keyOf(row.version, transform, preference)}"`
    const {
      'Accept-Ranges': _ranges,
      'Content-Disposition': _disposition,
      'Content-Type': _type,
      ...cacheHeaders
    } = limitCaching(metadata.fields, until)
    const text = formatAppliedTransform(transform)
    const fields = {
      ...cacheHeaders,
      ETag: etag,
      ...(text && { 'X-Transformations': text }),
      ...(transform.format === undefined && { Vary: 'Accept' }),
    }
    if (isNotModified(headers, { etag, lastModified: metadata.lastModified }))
      return c.body(null, 304, fields)
    const rendering = await storage.renderings.open(row.version, transform, { preference, principal })
    if (!rendering) continue
    try {
      const type = `image/${rendering.format}`
      const disposition = contentDisposition({
        type,
        name: row.name,
        download: readDownloadName(c, { isLink: until !== undefined }),
      })
      return await sendBytes(c, rendering, {
        ...fields,
        'Content-Type': type,
        'Content-Length': String(rendering.size),
        ...(disposition && { 'Content-Disposition': disposition }),
      })
    } finally {
      await rendering.close()
    }
  }
  throw errors.missingBytes()
}
