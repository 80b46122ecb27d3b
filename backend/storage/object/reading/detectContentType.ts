// oxlint-disable no-control-regex -- signatures are bytes, not text
import { isMarkup, markupHeadLength } from '../../../../wire/isMarkup.ts'
import { mediaTypeOf } from '../../mimeType.ts'

/** Bytes at the start of a file that are needed to detect its type. */
export const headLength = markupHeadLength

interface Signature {
  /** The type to send where the declared type contradicts the content. */
  type: string
  /** Bytes as Latin-1 text, from the first on. */
  pattern: RegExp
  /** Declared types that agree with the content. */
  compatible: RegExp
}

/** Images, audio and video, which never run scripts, and types that must not be mistaken for them. The first match counts. */
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
  // A PDF runs scripts in some viewers: one with another declared type is not displayed inline.
  { type: 'application/octet-stream', pattern: /^%PDF-/, compatible: /^application\/pdf$/ },
  {
    type: 'application/octet-stream',
    pattern: /^(PK\x03\x04|\x1f\x8b|Rar!\x1a|7z\xbc\xaf|MZ|\x7fELF|\0asm)/,
    compatible: /^$/,
  },
]

/** Bytes that don't occur in text. */
const binary = /[\0-\x08\x0e-\x1a\x1c-\x1f]/

/**
 * The type to send for a file whose declared type is displayed inline: the declared type, or the detected one where the
 * content contradicts it. Markup of any declared type is `text/html`, which is never displayed. Only images, audio and
 * video may become displayable by detection.
 * @param head the first bytes of the file, `headLength` of them where the file is long enough
 */
export function detectContentType(label: string, head: Uint8Array): string {
  const essence = mediaTypeOf(label)
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, headLength)).toString('latin1')
  if (isMarkup(text)) return 'text/html'
  // Text that starts like a signature ("MZ", "GIF89a is …") stays text.
  if (essence === 'text/plain' && !binary.test(text)) return label
  const found = signatures.find((signature) => signature.pattern.test(text))
  return !found || found.compatible.test(essence) ? label : found.type
}
