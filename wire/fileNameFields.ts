/** Marks that turn the direction of what follows, so that "gpj.exe" is read as "exe.jpg". */
const misleading = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Half surrogates mended, which `encodeURIComponent` throws at. */
const wellFormed = (name: string): string => new TextDecoder().decode(new TextEncoder().encode(name))

/** RFC 8187's extended value: UTF-8, all but its attribute characters escaped. */
const extended = (name: string): string =>
  encodeURIComponent(wellFormed(name)).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** What old clients read: printable ASCII without what would end the quoted text. */
const fallback = (name: string): string => name.replace(/[^\x20-\x7e]|["\\%]/g, '_')

/** A name as the parameters of `Content-Disposition` (RFC 6266), beginning with `; `; empty for no name. */
export function fileNameFields(name: string): string {
  const shown = name.replace(misleading, '_')
  return shown === '' ? '' : `; filename="${fallback(shown)}"; filename*=UTF-8''${extended(shown)}`
}
