// oxlint-disable no-control-regex -- what files begin with are bytes, not text
import { isMarkup, markupHeadLength } from '../../../../wire/isMarkup.ts'
import { mediaTypeOf } from '../../mimeType.ts'

/** Bytes at the beginning of a file that tell its type. */
export const headLength = markupHeadLength

interface Signature {
  /** What the file is, where its label says something else. */
  type: string
  /** Bytes as Latin-1 text, from the first on. */
  pattern: RegExp
  /** Labels that are not contradicted. */
  compatible: RegExp
}

/** Pictures, sound and film, which never run, and what must not pass for them. The first that fits counts. */
const signatures: readonly Signature[] = [
  { type: 'image/png', pattern: /^\x89PNG\r\n\x1a\n/, compatible: /^image\/(a|x-)?png$/ },
  { type: 'image/jpeg', pattern: /^\xff\xd8\xff/, compatible: /^image\/(p?jpe?g|x-jpe?g)$/ },
  { type: 'image/gif', pattern: /^GIF8[79]a/, compatible: /^image\/gif$/ },
  { type: 'image/webp', pattern: /^RIFF[^]{4}WEBP/, compatible: /^image\/webp$/ },
  { type: 'image/avif', pattern: /^[^]{4}ftypavi[fs]/, compatible: /^image\/(avif|heic|heif)/ },
  {
    type: 'image/heic',
    pattern: /^[^]{4}ftyp(hei[cmsx]|hev[cx]|mif1|msf1)/,
    compatible: /^image\/(avif|heic|heif)/,
  },
  { type: 'audio/wav', pattern: /^RIFF[^]{4}WAVE/, compatible: /^audio\// },
  { type: 'audio/flac', pattern: /^fLaC/, compatible: /^audio\// },
  { type: 'audio/mpeg', pattern: /^ID3[\x02-\x04]/, compatible: /^audio\// },
  { type: 'audio/mp4', pattern: /^[^]{4}ftypM4[AB]/, compatible: /^(audio|video)\// },
  { type: 'video/mp4', pattern: /^\0\0[^]{2}ftyp/, compatible: /^(audio|video)\// },
  { type: 'video/webm', pattern: /^\x1a\x45\xdf\xa3/, compatible: /^(audio|video)\// },
  { type: 'video/ogg', pattern: /^OggS\0/, compatible: /^(audio|video)\// },
  // A PDF runs scripts of its own in some readers: one that hides behind another label is no page to open.
  { type: 'application/octet-stream', pattern: /^%PDF-/, compatible: /^application\/pdf$/ },
  {
    type: 'application/octet-stream',
    pattern: /^(PK\x03\x04|\x1f\x8b|Rar!\x1a|7z\xbc\xaf|MZ|\x7fELF|\0asm)/,
    compatible: /^$/,
  },
]

/** Bytes that no text has. */
const binary = /[\0-\x08\x0e-\x1a\x1c-\x1f]/

/**
 * The type to send for a file that is labelled with one that browsers open in place: the label, or what the bytes
 * say where they contradict it. Markup under whatever label is `text/html`, which is never opened. What is told
 * from the bytes never opens more than the label would, but for pictures, sound and film.
 * @param head the first bytes of the file, `headLength` of them where it has so many
 */
export function detectContentType(label: string, head: Uint8Array): string {
  const essence = mediaTypeOf(label)
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, headLength)).toString('latin1')
  if (isMarkup(text)) return 'text/html'
  // Words that begin like a signature ("MZ", "GIF89a is …") stay words.
  if (essence === 'text/plain' && !binary.test(text)) return label
  const found = signatures.find((signature) => signature.pattern.test(text))
  return !found || found.compatible.test(essence) ? label : found.type
}
