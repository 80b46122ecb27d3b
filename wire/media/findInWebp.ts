// oxlint-disable no-await-in-loop -- a file is read in order
import { createTiff, orientationOf } from './exif.ts'
import { bytesOf, latin1, MalformedMedia, type MediaReader } from './MediaReader.ts'
import type { Overwrites } from './Overwrites.ts'

const keptChunks = /^(?:VP8[ LX]|ALPH|ANIM|ANMF|ICCP)$/
/** Flags of the header `VP8X`. */
const exifFlag = 0x08
const xmpFlag = 0x04
/** Bytes of a frame's own header, before its chunks. */
const frameHeaderBytes = 16

/**
 * Finds the metadata of a WebP image (RFC 9649): Exif, XMP and unknown chunks, also those of the frames of an animation.
 * A removed chunk becomes an unknown one of the same length. Exif retains the orientation.
 */
export async function findInWebp(reader: MediaReader, overwrites: Overwrites): Promise<void> {
  const end = 8 + (await reader.view(4, 4)).getUint32(0, true)
  // Some encoders do not count the last padding byte.
  if (end > reader.size + 1) throw new MalformedMedia('the image exceeds the file')
  const orientation = await findInChunks(reader, overwrites, 12, Math.min(end, reader.size))
  const header = await reader.view(12, 9)
  if (header.getUint32(0) === 0x56503858) {
    const kept = orientation === 1 ? 0 : exifFlag
    const flags = (header.getUint8(8) & ~(exifFlag | xmpFlag)) | kept
    await overwrites.add(20, 1, Uint8Array.of(flags))
  }
  if (end < reader.size) await overwrites.add(end, reader.size - end)
}

/** Returns the orientation that Exif states. */
async function findInChunks(
  reader: MediaReader,
  overwrites: Overwrites,
  from: number,
  to: number,
): Promise<number> {
  let orientation = 1
  for (let at = from; at + 8 <= to;) {
    reader.countElement()
    const type = await reader.text(at, 4)
    const size = (await reader.view(at + 4, 4)).getUint32(0, true)
    const end = at + 8 + size
    if (end > to) throw new MalformedMedia('a chunk exceeds the image')
    if (type === 'ANMF') await findInChunks(reader, overwrites, at + 8 + frameHeaderBytes, end)
    if (!keptChunks.test(type)) {
      const length = (await reader.bytes(at + 4, 4)).slice()
      const exif = type === 'EXIF' ? await reader.bytes(at + 8, Math.min(size, 64 * 1024)) : null
      // Some programs begin it as in JPEG.
      const tiff = exif && latin1(exif.subarray(0, 6)) === 'Exif\0\0' ? exif.subarray(6) : exif
      const stated = tiff ? orientationOf(tiff) : 1
      if (stated !== 1) orientation = stated
      const head =
        stated === 1
          ? [...bytesOf('voId'), ...length]
          : [...bytesOf('EXIF'), ...length, ...createTiff(stated)]
      await overwrites.add(at, end - at, Uint8Array.from(head))
    }
    // Chunks have an even length.
    at = end + (size % 2)
  }
  return orientation
}
