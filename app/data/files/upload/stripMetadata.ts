/**
 * Removes from an image the metadata about place and camera, without changing a pixel:
 * JPEG's APP1 (Exif, XMP), APP13 (IPTC) and comments, PNG's eXIf and text chunks, WebP's EXIF and XMP.
 * A JPEG keeps its orientation, in an Exif block with nothing else. Other files are returned unchanged,
 * and so are files whose content does not match their type.
 */
export async function stripMetadata(blob: Blob): Promise<Blob> {
  const strip = STRIPPERS[blob.type]
  if (!strip) return blob
  const bytes = new Uint8Array(await blob.arrayBuffer())
  const parts = strip(bytes)
  return parts ? new Blob(parts as BlobPart[], { type: blob.type }) : blob
}

const STRIPPERS: Record<string, (bytes: Uint8Array) => Uint8Array[] | null> = {
  'image/jpeg': stripJpeg,
  'image/png': stripPng,
  'image/webp': stripWebp,
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function textAt(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length))
}

/** ITU T.81 B.1.1: markers and their segments up to the scan, which is kept to the end of the file. */
function stripJpeg(bytes: Uint8Array): Uint8Array[] | null {
  const view = viewOf(bytes)
  if (bytes.length < 4 || view.getUint16(0) !== 0xffd8) return null
  const kept: Uint8Array[] = [bytes.subarray(0, 2)]
  let at = 2
  while (at + 4 <= bytes.length) {
    const marker = view.getUint16(at)
    if (marker >> 8 !== 0xff) return null
    const end = at + 2 + view.getUint16(at + 2)
    if (marker === 0xffda) return [...kept, bytes.subarray(at)]
    if (end > bytes.length || end < at + 4) return null
    const turned = marker === 0xffe1 ? orientationOf(bytes.subarray(at + 4, end)) : 1
    if (turned !== 1) kept.push(orientationSegment(turned))
    const telling = marker === 0xffe1 || marker === 0xffed || marker === 0xfffe
    if (!telling) kept.push(bytes.subarray(at, end))
    at = end
  }
  return null
}

/** The Exif tag 0x0112 of the first directory; 1 (upright) when there is none. */
function orientationOf(segment: Uint8Array): number {
  if (segment.length < 14 || textAt(segment, 0, 4) !== 'Exif') return 1
  const tiff = viewOf(segment.subarray(6))
  const little = tiff.getUint16(0) === 0x4949
  const directory = tiff.getUint32(4, little)
  if (directory + 2 > tiff.byteLength) return 1
  const count = tiff.getUint16(directory, little)
  for (let index = 0; index < count; index += 1) {
    const entry = directory + 2 + index * 12
    if (entry + 12 > tiff.byteLength) return 1
    if (tiff.getUint16(entry, little) !== 0x0112) continue
    const value = tiff.getUint16(entry + 8, little)
    return value >= 1 && value <= 8 ? value : 1
  }
  return 1
}

function orientationSegment(orientation: number): Uint8Array {
  const segment = new Uint8Array(36)
  const view = viewOf(segment)
  view.setUint16(0, 0xffe1)
  view.setUint16(2, 34)
  segment.set([0x45, 0x78, 0x69, 0x66, 0, 0, 0x4d, 0x4d, 0, 0x2a, 0, 0, 0, 8], 4)
  view.setUint16(18, 1)
  view.setUint16(20, 0x0112)
  view.setUint16(22, 3)
  view.setUint32(24, 1)
  view.setUint16(28, orientation)
  return segment
}

const PNG_TELLING = new Set(['eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME'])

/** PNG 3rd edition §5.3: length, type, data, checksum. */
function stripPng(bytes: Uint8Array): Uint8Array[] | null {
  const view = viewOf(bytes)
  if (bytes.length < 8 || view.getUint32(0) !== 0x89504e47) return null
  const kept: Uint8Array[] = [bytes.subarray(0, 8)]
  let at = 8
  while (at + 12 <= bytes.length) {
    const end = at + 12 + view.getUint32(at)
    if (end > bytes.length) return null
    if (!PNG_TELLING.has(textAt(bytes, at + 4, 4))) kept.push(bytes.subarray(at, end))
    at = end
  }
  return kept
}

/** WebP container: RIFF chunks padded to even length; flags of VP8X say which are present. */
function stripWebp(bytes: Uint8Array): Uint8Array[] | null {
  const view = viewOf(bytes)
  if (bytes.length < 12 || textAt(bytes, 0, 4) !== 'RIFF' || textAt(bytes, 8, 4) !== 'WEBP') return null
  const kept: Uint8Array[] = []
  let at = 12
  while (at + 8 <= bytes.length) {
    const size = view.getUint32(at + 4, true)
    const end = Math.min(bytes.length, at + 8 + size + (size % 2))
    const kind = textAt(bytes, at, 4)
    if (kind === 'VP8X' && size >= 10) {
      const flags = bytes.slice(at, end)
      // 0x08 Exif, 0x04 XMP
      flags[8] = (flags[8] ?? 0) & ~0x0c
      kept.push(flags)
    } else if (kind !== 'EXIF' && kind !== 'XMP ') kept.push(bytes.subarray(at, end))
    at = end
  }
  const length = kept.reduce((sum, part) => sum + part.length, 4)
  const head = bytes.slice(0, 12)
  viewOf(head).setUint32(4, length, true)
  return [head, ...kept]
}
