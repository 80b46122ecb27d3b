/** Directional formatting characters, with which "gpj.exe" can be displayed as "exe.jpg". */
const directional = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Replaces lone surrogates, for which `encodeURIComponent` throws. */
const wellFormed = (name: string): string => new TextDecoder().decode(new TextEncoder().encode(name))

/** The extended value of RFC 8187: UTF-8, percent-encoded except for `attr-char`. */
const extended = (name: string): string =>
  encodeURIComponent(wellFormed(name)).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** The value for clients without RFC 8187: printable ASCII without characters that end a quoted string. */
const fallback = (name: string): string => name.replace(/[^\x20-\x7e]|["\\%]/g, '_')

/** A name as the parameters of `Content-Disposition` (RFC 6266), beginning with `; `; empty for no name. */
export function fileNameFields(name: string): string {
  const shown = name.replace(directional, '_')
  return shown === '' ? '' : `; filename="${fallback(shown)}"; filename*=UTF-8''${extended(shown)}`
}
