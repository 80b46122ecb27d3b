// oxlint-disable no-control-regex -- what files begin with are bytes, not text
import { isMarkup, markupHeadLength } from '../../../../wire/isMarkup.ts'
import { essenceOf } from '../../mimeType.ts'

/** Bytes at the beginning of a file that tell its type. */
export const headLength = markupHeadLength

interface Signature {
  /** What the file is, where its label says something else. */
  type: string
  /** Bytes as Latin-1 text, from the first on. */
  begins: RegExp
  /** Labels that are not contradicted. */
  agrees: RegExp
}

/** Pictures, sound and film, which never run, and what must not pass for them. The first that fits counts. */
const signatures: readonly Signature[] = [
  { type: 'image/png', begins: /^\x89PNG\r\n\x1a\n/, agrees: /^image\/(a|x-)?png$/ },
  { type: 'image/jpeg', begins: /^\xff\xd8\xff/, agrees: /^image\/(p?jpe?g|x-jpe?g)$/ },
  { type: 'image/gif', begins: /^GIF8[79]a/, agrees: /^image\/gif$/ },
  { type: 'image/webp', begins: /^RIFF[^]{4}WEBP/, agrees: /^image\/webp$/ },
  { type: 'image/avif', begins: /^[^]{4}ftypavi[fs]/, agrees: /^image\/(avif|heic|heif)/ },
  {
    type: 'image/heic',
    begins: /^[^]{4}ftyp(hei[cmsx]|hev[cx]|mif1|msf1)/,
    agrees: /^image\/(avif|heic|heif)/,
  },
  { type: 'audio/wav', begins: /^RIFF[^]{4}WAVE/, agrees: /^audio\// },
  { type: 'audio/flac', begins: /^fLaC/, agrees: /^audio\// },
  { type: 'audio/mpeg', begins: /^ID3[\x02-\x04]/, agrees: /^audio\// },
  { type: 'audio/mp4', begins: /^[^]{4}ftypM4[AB]/, agrees: /^(audio|video)\// },
  { type: 'video/mp4', begins: /^\0\0[^]{2}ftyp/, agrees: /^(audio|video)\// },
  { type: 'video/webm', begins: /^\x1a\x45\xdf\xa3/, agrees: /^(audio|video)\// },
  { type: 'video/ogg', begins: /^OggS\0/, agrees: /^(audio|video)\// },
  // A PDF runs scripts of its own in some readers: one that hides behind another label is no page to open.
  { type: 'application/octet-stream', begins: /^%PDF-/, agrees: /^application\/pdf$/ },
  {
    type: 'application/octet-stream',
    begins: /^(PK\x03\x04|\x1f\x8b|Rar!\x1a|7z\xbc\xaf|MZ|\x7fELF|\0asm)/,
    agrees: /^$/,
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
export function settleType(label: string, head: Uint8Array): string {
  const essence = essenceOf(label)
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, headLength)).toString('latin1')
  if (isMarkup(text)) return 'text/html'
  // Words that begin like a signature ("MZ", "GIF89a is …") stay words.
  if (essence === 'text/plain' && !binary.test(text)) return label
  const found = signatures.find((signature) => signature.begins.test(text))
  return !found || found.agrees.test(essence) ? label : found.type
}
