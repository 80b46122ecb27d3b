/**
 * The number of pixels of an image, read from its first bytes: PNG, JPEG, GIF, WebP and AVIF, detected by content and
 * not by name or type. Null for other formats, and where these bytes don't contain the size.
 */
export function countPixels(head: Uint8Array): number | null {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  try {
    if (view.getUint32(0) === 0x89504e47) return view.getUint32(16) * view.getUint32(20)
    if (view.getUint16(0) === 0xffd8) return ofJpeg(view)
    if (view.getUint32(0) === 0x47494638) return ofGif(view)
    if (view.getUint32(0) === 0x52494646 && view.getUint32(8) === 0x57454250) return ofWebp(view)
    if (view.getUint32(4) === 0x66747970) return ofAvif(view)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return null
}

/**
 * ITU T.81 B.2: the size is in the first frame header, after tables and application segments. At any other marker a decoder
 * may not continue at the stated length, and could find another header than this function does.
 */
function ofJpeg(view: DataView): number | null {
  for (let at = 2; ; at += 2 + view.getUint16(at + 2)) {
    // A marker may be preceded by any number of fill bytes.
    while (view.getUint16(at) === 0xffff) at += 1
    const marker = view.getUint16(at)
    if (marker >= 0xffc0 && marker <= 0xffc2) return view.getUint16(at + 5) * view.getUint16(at + 7)
    const isSkipped = marker >= 0xffe0 && marker <= 0xffef
    if (!isSkipped && ![0xffc4, 0xffcc, 0xffdb, 0xffdd, 0xfffe].includes(marker)) return null
  }
}

/** GIF89a 18 and 20: browsers enlarge the screen if the first image is larger. */
function ofGif(view: DataView): number | null {
  const flags = view.getUint8(10)
  let at = 13 + (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0)
  while (view.getUint8(at) === 0x21) {
    at += 2
    while (view.getUint8(at) !== 0) at += 1 + view.getUint8(at)
    at += 1
  }
  if (view.getUint8(at) !== 0x2c) return null
  const side = (screen: number, offset: number) =>
    Math.max(
      view.getUint16(screen, true),
      view.getUint16(at + offset, true) + view.getUint16(at + offset + 4, true),
    )
  return side(6, 1) * side(8, 3)
}

/** RFC 9649: a canvas, or the one frame's own header. */
function ofWebp(view: DataView): number | null {
  const kind = view.getUint32(12)
  if (kind === 0x56503858)
    return ((view.getUint32(24, true) & 0xffffff) + 1) * ((view.getUint32(26, true) >>> 8) + 1)
  if (kind === 0x56503820) return (view.getUint16(26, true) & 0x3fff) * (view.getUint16(28, true) & 0x3fff)
  if (kind !== 0x5650384c) return null
  const bits = view.getUint32(21, true)
  return ((bits & 0x3fff) + 1) * (((bits >>> 14) & 0x3fff) + 1)
}

/** ISO 23008-12 6.5.3: the largest of the sizes in the header. */
function ofAvif(view: DataView): number | null {
  let max: number | null = null
  for (let at = 8; at + 16 <= view.byteLength; at += 1) {
    if (view.getUint32(at) === 0x69737065)
      max = Math.max(max ?? 0, view.getUint32(at + 8) * view.getUint32(at + 12))
  }
  return max
}
