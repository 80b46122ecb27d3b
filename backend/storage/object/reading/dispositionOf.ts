import { essenceOf } from '../../mimeType.ts'

/** Whether a browser may show the type in place: what can't run as a script of ours. */
export function opensInPlace(type: string): boolean {
  const essence = essenceOf(type)
  // SVG, and whatever else a browser reads as XML, in which scripts may stand.
  if (essence.endsWith('+xml')) return false
  return /^(image|audio|video)\//.test(essence) || essence === 'application/pdf' || essence === 'text/plain'
}

/** Marks that turn the direction of what follows, so that "gpj.exe" is read as "exe.jpg". */
const misleading = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** RFC 8187's extended value: UTF-8 (half surrogates mended), all but its attribute characters escaped. */
const extended = (name: string): string =>
  encodeURIComponent(Buffer.from(name, 'utf8').toString('utf8')).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** What old clients read: printable ASCII without what would end the quoted text. */
const fallback = (name: string): string => name.replace(/[^\x20-\x7e]|["\\%]/g, '_')

/**
 * `Content-Disposition` (RFC 6266), or null for "in place".
 * @param download the query's `download`: undefined where absent, '' for the object's own name
 */
export function dispositionOf(o: {
  type: string
  name: string
  download: string | undefined
}): string | null {
  if (o.download === undefined && opensInPlace(o.type)) return null
  const name = (o.download || o.name.slice(o.name.lastIndexOf('/') + 1)).replace(misleading, '_')
  return name === ''
    ? 'attachment'
    : `attachment; filename="${fallback(name)}"; filename*=UTF-8''${extended(name)}`
}
