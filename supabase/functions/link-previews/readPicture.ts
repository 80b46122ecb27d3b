export interface Picture {
  bytes: Uint8Array
  type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'
  /** In pixels. */
  width: number
  height: number
}

/** A small file can contain a large picture, which would fill the memory of each reader's browser. */
const maxPixels = 25_000_000
/** Smaller ones count visitors, or are icons. */
const minSide = 32

/** A picture by its own first bytes, whatever type the server sends; null for other formats, and beyond the limits. */
export function readPicture(bytes: Uint8Array): Picture | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let found: Omit<Picture, 'bytes'> | null
  try {
    found = readPng(view) ?? readGif(view) ?? readWebp(view) ?? readJpeg(view)
  } catch (error) {
    // It ends within its header.
    if (error instanceof RangeError) return null
    throw error
  }
  if (found === null) return null
  const { width, height } = found
  return Math.min(width, height) >= minSide && width * height <= maxPixels ? { bytes, ...found } : null
}

type Header = Omit<Picture, 'bytes'> | null

const textAt = (view: DataView, at: number, length: number): string =>
  String.fromCharCode(...Array.from({ length }, (_, i) => view.getUint8(at + i)))

function readPng(view: DataView): Header {
  if (view.getUint32(0) !== 0x89504e47 || view.getUint32(4) !== 0x0d0a1a0a) return null
  if (textAt(view, 12, 4) !== 'IHDR') return null
  return { type: 'image/png', width: view.getUint32(16), height: view.getUint32(20) }
}

function readGif(view: DataView): Header {
  if (!/^GIF8[79]a$/.test(textAt(view, 0, 6))) return null
  return { type: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) }
}

function readWebp(view: DataView): Header {
  if (textAt(view, 0, 4) !== 'RIFF' || textAt(view, 8, 4) !== 'WEBP') return null
  const type = 'image/webp'
  const uint24 = (at: number): number => view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
  switch (textAt(view, 12, 4)) {
    case 'VP8 ':
      if (uint24(23) !== 0x2a019d) return null
      return { type, width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
    case 'VP8L': {
      const bits = view.getUint32(21, true)
      if (view.getUint8(20) !== 0x2f) return null
      return { type, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { type, width: uint24(24) + 1, height: uint24(27) + 1 }
    default:
      return null
  }
}

/** Markers without a length. */
const isStandalone = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)

/** Goes from segment to segment until the frame header (SOF). */
function readJpeg(view: DataView): Header {
  if (view.getUint16(0) !== 0xffd8) return null
  let at = 2
  for (;;) {
    if (view.getUint8(at) !== 0xff) return null
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) at += 1
    else if (isStandalone(marker)) at += 2
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { type: 'image/jpeg', width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    } else if (marker === 0xda || marker === 0xd9) return null
    else at += 2 + Math.max(2, view.getUint16(at + 2))
  }
}
