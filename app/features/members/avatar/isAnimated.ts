/** Whether a GIF, PNG, WebP or AVIF has more than one frame, according to its bytes. */
export function isAnimated(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    if (view.getUint32(0) === 0x47494638) return hasFramesOfGif(view)
    if (view.getUint32(0) === 0x89504e47) return hasFramesOfPng(view)
    // RFC 9649: a flag in the header of the extended format.
    if (view.getUint32(0) === 0x52494646 && view.getUint32(8) === 0x57454250)
      return view.getUint32(12) === 0x56503858 && (view.getUint8(20) & 0x02) !== 0
    // The brand of image sequences.
    if (view.getUint32(4) === 0x66747970) return view.getUint32(8) === 0x61766973
  } catch (error) {
    // A truncated file has no further frame.
    if (!(error instanceof RangeError)) throw error
  }
  return false
}

/** GIF89a: blocks up to the second image descriptor. */
function hasFramesOfGif(view: DataView): boolean {
  const colours = (flags: number) => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0)
  let at = 13 + colours(view.getUint8(10))
  let frames = 0
  for (;;) {
    const block = view.getUint8(at)
    if (block === 0x2c) {
      frames += 1
      if (frames > 1) return true
      at += 11 + colours(view.getUint8(at + 9))
    } else if (block === 0x21) at += 2
    else return false
    while (view.getUint8(at) !== 0) at += 1 + view.getUint8(at)
    at += 1
  }
}

/** PNG 3rd edition 11.3.6: the animation control chunk comes before the first image data. */
function hasFramesOfPng(view: DataView): boolean {
  for (let at = 8; ; at += 12 + view.getUint32(at)) {
    const type = view.getUint32(at + 4)
    if (type === 0x6163544c) return view.getUint32(at + 8) > 1
    if (type === 0x49444154) return false
  }
}
