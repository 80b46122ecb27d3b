/** Image formats that are rendered; all others, in particular SVG, are refused without decoding. */
export type ImageKind = 'jpeg' | 'png' | 'gif' | 'webp' | 'avif' | 'tiff'

/** Bytes at the start of a file that `detectImageFormat` needs. */
export const signatureLength = 32

/**
 * The format by the first bytes alone: declared types and names are chosen by the uploader.
 * Null for other formats.
 */
export function detectImageFormat(head: Buffer): ImageKind | null {
  const text = (from: number, to: number): string => head.toString('latin1', from, to)
  if (text(0, 3) === '\xff\xd8\xff') return 'jpeg'
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return 'png'
  if (text(0, 6) === 'GIF87a' || text(0, 6) === 'GIF89a') return 'gif'
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'webp'
  if (text(4, 8) === 'ftyp' && /^avi[fs]|^mif1$/.test(text(8, 12))) return 'avif'
  if (text(0, 4) === 'II*\0' || text(0, 4) === 'MM\0*') return 'tiff'
  return null
}
