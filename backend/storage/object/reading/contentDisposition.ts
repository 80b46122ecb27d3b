import { fileNameFields } from '../../../../wire/fileNameFields.ts'
import { mediaTypeOf } from '../../mimeType.ts'

/** Whether a browser may show the type in place: what can't run as a script of ours. */
export function isSafeInline(type: string): boolean {
  const essence = mediaTypeOf(type)
  // SVG, and whatever else a browser reads as XML, in which scripts may stand.
  if (essence.endsWith('+xml')) return false
  return /^(image|audio|video)\//.test(essence) || essence === 'application/pdf' || essence === 'text/plain'
}

/**
 * `Content-Disposition` (RFC 6266), or null for "in place".
 * @param download the query's `download`: undefined where absent, '' for the object's own name
 */
export function contentDisposition(o: {
  type: string
  name: string
  download: string | undefined
}): string | null {
  if (o.download === undefined && isSafeInline(o.type)) return null
  return `attachment${fileNameFields(o.download || o.name.slice(o.name.lastIndexOf('/') + 1))}`
}
