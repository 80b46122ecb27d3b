import type { Storage, StorageContext } from '../../Storage.ts'
import type { ObjectRow } from '../rows.ts'
import { downloadOf } from './downloadOf.ts'
import { headersOf } from './headersOf.ts'
import { isFresh } from './isFresh.ts'
import { keptUntil } from './keptUntil.ts'
import { typeOf } from './sendObject.ts'

/** What GET would find in the bytes; the row's word where there are none. */
async function typeInBytes(storage: Storage, row: ObjectRow): Promise<string | undefined> {
  const bytes = row.version ? await storage.bytes.open(row.version) : null
  if (!bytes) return undefined
  try {
    return await typeOf(row, bytes)
  } finally {
    await bytes.close()
  }
}

/**
 * Answers a HEAD as a GET would be, without the bytes.
 * @param until when the link ends that is followed, see `keptUntil`
 */
export async function sendHead(
  storage: Storage,
  c: StorageContext,
  row: ObjectRow,
  until?: number,
): Promise<Response> {
  const about = headersOf(row)
  const size = row.metadata?.size ?? row.metadata?.contentLength
  if (isFresh(c.env.incoming.headers, about)) {
    return c.body(
      null,
      304,
      keptUntil({ ETag: about.etag, 'Cache-Control': about.fields['Cache-Control']! }, until),
    )
  }
  const download = downloadOf(c, { isLink: until !== undefined })
  return c.body(null, 200, {
    ...keptUntil(headersOf(row, download, await typeInBytes(storage, row)).fields, until),
    ...(Number.isSafeInteger(size) && size! >= 0 && { 'Content-Length': String(size) }),
  })
}
