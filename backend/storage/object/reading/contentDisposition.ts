import { fileNameFields } from '../../../../wire/fileNameFields.ts'
import type { StorageContext } from '../../Storage.ts'
import { mediaTypeOf } from '../../mimeType.ts'

/** Whether a browser may display the type inline: types that can't run scripts on this origin. */
export function isSafeInline(type: string): boolean {
  const essence = mediaTypeOf(type)
  // SVG and other XML types may contain scripts.
  if (essence.endsWith('+xml')) return false
  return /^(image|audio|video)\//.test(essence) || essence === 'application/pdf' || essence === 'text/plain'
}

/**
 * `Content-Disposition` (RFC 6266), or null for inline.
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

/**
 * The query's `download`: undefined where absent, '' for the object's own name. The client library escapes names in signed
 * links twice, so that hosted saves "report %281%29.pdf" for "report (1).pdf": in links they are decoded once more.
 */
export function readDownloadName(c: StorageContext, o: { isLink: boolean }): string | undefined {
  const name = c.req.query('download')
  if (!o.isLink || !name?.includes('%')) return name
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
