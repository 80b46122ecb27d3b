import type { Storage, StorageContext } from '../../Storage.ts'
import type { ObjectRow } from '../objectRows.ts'
import { readDownloadName } from './contentDisposition.ts'
import { limitCaching, objectHeaders } from './objectHeaders.ts'
import { isNotModified } from './conditionalRequests.ts'
import { contentTypeOf } from './sendObject.ts'

/** The type that GET would detect in the content; undefined without content. */
async function detectStoredType(storage: Storage, row: ObjectRow): Promise<string | undefined> {
  const bytes = row.version ? await storage.bytes.open(row.version) : null
  if (!bytes) return undefined
  try {
    return await contentTypeOf(row, bytes)
  } finally {
    await bytes.close()
  }
}

/**
 * Responds to a HEAD as to a GET, without the bytes.
 * @param until expiry of the link, see `limitCaching`
 */
export async function sendHead(
  storage: Storage,
  c: StorageContext,
  row: ObjectRow,
  until?: number,
): Promise<Response> {
  const metadata = objectHeaders(row)
  const size = row.metadata?.size ?? row.metadata?.contentLength
  if (isNotModified(c.env.incoming.headers, metadata)) {
    return c.body(
      null,
      304,
      limitCaching({ ETag: metadata.etag, 'Cache-Control': metadata.fields['Cache-Control']! }, until),
    )
  }
  const download = readDownloadName(c, { isLink: until !== undefined })
  return c.body(null, 200, {
    ...limitCaching(objectHeaders(row, download, await detectStoredType(storage, row)).fields, until),
    ...(Number.isSafeInteger(size) && size! >= 0 && { 'Content-Length': String(size) }),
  })
}
