import { cleanMimeType, mediaTypeOf } from '../../mimeType.ts'
import { cleanRobotsTag } from '../robotsTag.ts'
import type { ObjectRow } from '../objectRows.ts'
import { cleanCacheControl } from '../writing/openUpload.ts'
import { contentDisposition } from './contentDisposition.ts'

/** Headers of a response with an object. */
export interface ObjectHeaders {
  etag: string
  lastModified: Date
  fields: Record<string, string>
}

/**
 * A file is untrusted content and must not run on the origin that has the session. So it gets an opaque origin
 * (`sandbox`), its type is not sniffed, and HTML is displayed as source text. Images and videos that a browser opens as
 * a page can still load themselves.
 */
const policy = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox"

/**
 * The headers of a row, sanitised again: its values may have been written by SQL.
 * @param download the query's `download`
 * @param label the type to send, where the content has another than the row
 */
export function objectHeaders(
  row: ObjectRow,
  download?: string,
  label: string = cleanMimeType(row.metadata?.mimetype),
): ObjectHeaders {
  const metadata = row.metadata ?? {}
  const disposition = contentDisposition({ type: label, name: row.name, download })
  const type = mediaTypeOf(label) === 'text/html' ? 'text/plain; charset=utf-8' : label
  const modified = new Date(metadata.lastModified ?? row.updated_at ?? 0)
  const lastModified = Number.isNaN(modified.getTime()) ? new Date(0) : modified
  const etag =
    metadata.eTag && /^(W\/)?"[\x21\x23-\x7e]*"$/.test(metadata.eTag) ? metadata.eTag : `"${row.id}"`
  return {
    etag,
    lastModified,
    fields: {
      'Accept-Ranges': 'bytes',
      'Cache-Control': cleanCacheControl(metadata.cacheControl),
      ...(disposition && { 'Content-Disposition': disposition }),
      'Content-Security-Policy': policy,
      'Content-Type': type,
      ETag: etag,
      'Last-Modified': lastModified.toUTCString(),
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': cleanRobotsTag(metadata.xRobotsTag),
    },
  }
}

/** The latest time of a Date. */
const latestDate = 8_640_000_000_000_000

/**
 * The headers of a response to a signed link: it may be cached until the link expires, as upstream's, whatever the
 * object's `Cache-Control`, and only privately: users of a shared cache may not have the link.
 * @param until expiry of the link in seconds since 1970; undefined without a link
 */
export function limitCaching(
  fields: Record<string, string>,
  until: number | undefined,
): Record<string, string> {
  if (until === undefined) return fields
  const left = Math.max(0, until - Math.ceil(Date.now() / 1000))
  return {
    ...fields,
    'Cache-Control': `private, max-age=${left}`,
    Expires: new Date(Math.min(until * 1000, latestDate)).toUTCString(),
  }
}
