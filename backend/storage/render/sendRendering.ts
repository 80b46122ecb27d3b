import { pipeline } from 'node:stream/promises'
import { alreadySent } from '../alreadySent.ts'
import { failures } from '../failures.ts'
import { dispositionOf } from '../object/reading/dispositionOf.ts'
import { downloadOf } from '../object/reading/downloadOf.ts'
import { headersOf } from '../object/reading/headersOf.ts'
import { isFresh } from '../object/reading/isFresh.ts'
import { keptUntil } from '../object/reading/keptUntil.ts'
import type { ObjectRow } from '../object/rows.ts'
import type { Storage, StorageContext } from '../Storage.ts'
import type { KeptRendering } from './createRenderCache.ts'
import { preferenceOf } from './preferenceOf.ts'
import type { Transform } from './Transform.ts'
import { renderedText } from './transformText.ts'

/** Answers up to this many bytes are read at once, larger ones in portions of as many. */
const small = 256 * 1024

/** How often a row is read again when its version was replaced between the two. */
const attempts = 5

async function sendBytes(
  c: StorageContext,
  rendering: KeptRendering,
  fields: Record<string, string>,
): Promise<Response> {
  if (c.req.method === 'HEAD') return c.body(null, 200, fields)
  const whole = { first: 0, last: rendering.size - 1 }
  const { outgoing } = c.env
  // As it is, to Node, as an object is sent.
  if (rendering.size <= small) {
    const bytes = await rendering.read(whole)
    outgoing.writeHead(200, fields).end(bytes)
  } else {
    outgoing.writeHead(200, fields)
    await pipeline(rendering.stream(whole, small), outgoing).catch(() => outgoing.destroy())
  }
  return alreadySent
}

/**
 * Answers with an object's picture in another size: 200, or 304 without rendering anything. The tag is of
 * these very pixels; upstream sends the object's own with every size of it, so that caches mix them up.
 * @param o.find reads the row as the caller; asked again when an overwrite took the version away meanwhile
 * @param o.by who asks: they take turns
 * @param o.until when the link ends that is followed, see `keptUntil`
 */
export async function sendRendering(
  storage: Storage,
  c: StorageContext,
  transform: Transform,
  { find, by, until }: { find: () => Promise<ObjectRow>; by: string; until?: number },
): Promise<Response> {
  const { headers } = c.env.incoming
  const preference = preferenceOf(transform, headers.accept)
  for (let attempt = 0; attempt < attempts; attempt++) {
    const row = await find()
    if (!row.version) throw failures.missingBytes()
    const about = headersOf(row)
    const etag = `"${storage.renderings.keyOf(row.version, transform, preference)}"`
    const {
      'Accept-Ranges': _ranges,
      'Content-Disposition': _disposition,
      'Content-Type': _type,
      ...kept
    } = keptUntil(about.fields, until)
    const text = renderedText(transform)
    const fields = {
      ...kept,
      ETag: etag,
      ...(text && { 'X-Transformations': text }),
      ...(transform.format === undefined && { Vary: 'Accept' }),
    }
    if (isFresh(headers, { etag, lastModified: about.lastModified })) return c.body(null, 304, fields)
    const rendering = await storage.renderings.open(row.version, transform, { preference, by })
    if (!rendering) continue
    try {
      const type = `image/${rendering.format}`
      const disposition = dispositionOf({
        type,
        name: row.name,
        download: downloadOf(c, { isLink: until !== undefined }),
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
  throw failures.missingBytes()
}
