// oxlint-disable no-await-in-loop -- a file is read in order
import { createTiff, orientationOf } from './exif.ts'
import { bytesOf, MalformedMedia, type MediaReader } from './MediaReader.ts'
import type { Overwrites } from './Overwrites.ts'

/** Chunks that a decoder needs: all critical ones, which begin with a capital letter, colours, and animations. */
const keptChunks =
  /^(?:[A-Z]...|tRNS|cHRM|gAMA|iCCP|sBIT|sRGB|cICP|mDCV|cLLI|bKGD|hIST|pHYs|sPLT|acTL|fcTL|fdAT)$/

/** The type of a removed chunk: ancillary, private and safe to copy, so that every decoder skips it. */
const removedType = bytesOf('voId')

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1
  return crc
})

/** The checksum of a chunk whose type and data are `head` and then zeros. */
function checksum(head: Uint8Array, length: number): number {
  let crc = 0xffffffff
  for (let at = 0; at < length; at += 1) crc = crcTable[(crc ^ (head[at] ?? 0)) & 255]! ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}

/**
 * Finds the metadata of a PNG (3rd edition, 5.3): Exif, texts, times and chunks of programs. A removed chunk becomes a
 * private one of the same length. Exif retains the orientation.
 */
export async function findInPng(reader: MediaReader, overwrites: Overwrites): Promise<void> {
  for (let at = 8; ;) {
    reader.countElement()
    const length = (await reader.view(at, 4)).getUint32(0)
    const type = await reader.text(at + 4, 4)
    const end = at + 12 + length
    if (end > reader.size) throw new MalformedMedia('a chunk exceeds the file')
    if (!keptChunks.test(type)) {
      const exif = type === 'eXIf' ? await reader.bytes(at + 8, Math.min(length, 64 * 1024)) : null
      const orientation = exif ? orientationOf(exif) : 1
      const head =
        orientation === 1 ? removedType : Uint8Array.from([...bytesOf('eXIf'), ...createTiff(orientation)])
      const crc = new Uint8Array(4)
      new DataView(crc.buffer).setUint32(0, checksum(head, length + 4))
      await overwrites.add(at + 4, length + 4, head)
      await overwrites.add(end - 4, 4, crc)
    }
    at = end
    // Anything behind the image.
    if (type === 'IEND') return overwrites.add(at, reader.size - at)
  }
}
