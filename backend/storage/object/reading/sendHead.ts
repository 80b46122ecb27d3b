import type { StorageContext } from '../../Storage.ts'
import { headersOf } from './headersOf.ts'
import { isFresh } from './isFresh.ts'
import type { ObjectRow } from '../rows.ts'

/** Answers a HEAD from the row alone. */
export function sendHead(c: StorageContext, row: ObjectRow): Response {
  const about = headersOf(row)
  const size = row.metadata?.size ?? row.metadata?.contentLength
  if (isFresh(c.env.incoming.headers, about)) return c.body(null, 304, { ETag: about.etag })
  return c.body(null, 200, {
    ...about.fields,
    ...(Number.isSafeInteger(size) && size! >= 0 && { 'Content-Length': String(size) }),
  })
}
