// oxlint-disable no-await-in-loop -- a file is read in order
import { readBoxes } from './boxes.ts'
import type { ByteSource } from './ByteSource.ts'
import { MalformedMedia, MediaReader } from './MediaReader.ts'

const colourBytes = (flags: number): number => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0)

/** Whether a GIF, PNG, WebP, AVIF or HEIC has more than one frame, by its content and not by its name or type. */
export async function isAnimated(source: ByteSource): Promise<boolean> {
  const reader = new MediaReader(source)
  try {
    const head = await reader.text(0, 12)
    if (head.startsWith('GIF8')) return await hasFramesOfGif(reader)
    if (head.startsWith('\x89PNG')) return await hasFramesOfPng(reader)
    // RFC 9649: a flag in the header of the extended format.
    if (/^RIFF[^]{4}WEBP$/.test(head))
      return (await reader.text(12, 4)) === 'VP8X' && ((await reader.bytes(20, 1))[0]! & 0x02) !== 0
    if (head.slice(4, 8) === 'ftyp') return await isImageSequence(reader)
  } catch (error) {
    // A truncated file has no further frame.
    if (!(error instanceof MalformedMedia)) throw error
  }
  return false
}

/** GIF89a: blocks up to the second image descriptor. */
async function hasFramesOfGif(reader: MediaReader): Promise<boolean> {
  const byte = async (offset: number) => (await reader.bytes(offset, 1))[0]!
  let at = 13 + colourBytes(await byte(10))
  let frames = 0
  for (;;) {
    reader.countElement()
    const block = await byte(at)
    if (block === 0x2c) {
      frames += 1
      if (frames > 1) return true
      at += 11 + colourBytes(await byte(at + 9))
    } else if (block === 0x21) at += 2
    else return false
    for (let length = await byte(at); length !== 0; length = await byte(at)) {
      reader.countElement()
      at += 1 + length
    }
    at += 1
  }
}

/** PNG 3rd edition 11.3.6: the animation control chunk comes before the first image data. */
async function hasFramesOfPng(reader: MediaReader): Promise<boolean> {
  for (let at = 8; ;) {
    reader.countElement()
    const type = await reader.text(at + 4, 4)
    if (type === 'acTL') return (await reader.view(at + 8, 4)).getUint32(0) > 1
    if (type === 'IDAT') return false
    at += 12 + (await reader.view(at, 4)).getUint32(0)
  }
}

/** ISO 23008-12: brands of image sequences, of AVIF or HEIC. The main brand may be that of its first image. */
async function isImageSequence(reader: MediaReader): Promise<boolean> {
  const size = (await reader.view(0, 4)).getUint32(0)
  const brands = (await reader.text(8, Math.min(size, 256, reader.size) - 8)).match(/.{4}/gs) ?? []
  const isImage = /^(?:avi[fs]|hei[cxs]|hev[cx]|m[is]f1)$/.test(brands[0] ?? '')
  if (!isImage || !brands.some((brand) => /^(?:avis|hev[cx]|msf1)$/.test(brand))) return false
  return brands[0] === 'avis' || (await readBoxes(reader, 0, reader.size)).some(({ type }) => type === 'moov')
}
