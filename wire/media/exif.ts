/** The Exif tag 0x0112 of the first directory of a TIFF block; 1 (upright) if there is none. */
export function orientationOf(tiff: Uint8Array): number {
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength)
  try {
    const isLittle = view.getUint16(0) === 0x4949
    const directory = view.getUint32(4, isLittle)
    const count = view.getUint16(directory, isLittle)
    for (let entry = directory + 2; entry < directory + 2 + count * 12; entry += 12) {
      if (view.getUint16(entry, isLittle) !== 0x0112) continue
      const value = view.getUint16(entry + 8, isLittle)
      return value >= 1 && value <= 8 ? value : 1
    }
  } catch (error) {
    // The block ends before its directory.
    if (!(error instanceof RangeError)) throw error
  }
  return 1
}

/** A TIFF block of one directory with the orientation and nothing else; with no entry for 1, which is the default. */
export function createTiff(orientation: number): Uint8Array {
  const hasEntry = orientation !== 1
  const bytes = new Uint8Array(hasEntry ? 26 : 14)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, 0x4d4d002a)
  view.setUint32(4, 8)
  if (!hasEntry) return bytes
  view.setUint16(8, 1)
  view.setUint16(10, 0x0112)
  view.setUint16(12, 3)
  view.setUint32(14, 1)
  view.setUint16(18, orientation)
  return bytes
}
