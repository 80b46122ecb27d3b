// oxlint-disable no-await-in-loop -- a file is read in order
import { MalformedMedia, type MediaReader } from './MediaReader.ts'
import type { Overwrites } from './Overwrites.ts'

const gpsDirectory = 0x8825
/** The Exif directory, interoperability, and further directories, such as those of the images in a raw file. */
const directoryTags = new Set([0x8769, 0xa005, 0x014a])
/** XMP, IPTC, resources of Photoshop, comments, and texts of Windows. */
const removedTags = new Set([0x02bc, 0x83bb, 0x8649, 0x9286, 0x9c9b, 0x9c9c, 0x9c9d, 0x9c9e, 0x9c9f])
/** Notes of a camera's manufacturer, in a format of its own, which the software for its raw files needs. */
const privateTags = new Set([0x927c, 0xc634])
/** Bytes of a value by its type. */
const typeBytes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]
const maxDirectories = 1000

/**
 * Finds the position, XMP, IPTC and comments of a TIFF (revision 6.0), which is also the format of most raw files.
 * @returns whether these are all places where it can contain a location: manufacturers' notes can't be read
 */
export async function findInTiff(reader: MediaReader, overwrites: Overwrites): Promise<boolean> {
  const isLittle = (await reader.view(0, 2)).getUint16(0) === 0x4949
  const number = async (at: number, bytes: 2 | 4): Promise<number> => {
    const view = await reader.view(at, bytes)
    return bytes === 2 ? view.getUint16(0, isLittle) : view.getUint32(0, isLittle)
  }
  let isComplete = true
  const waiting = [{ at: await number(4, 4), isGps: false }]
  const seen = new Set<number>()
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { at, isGps } = next
    if (at === 0 || seen.has(at)) continue
    seen.add(at)
    if (seen.size > maxDirectories) throw new MalformedMedia('too many directories')
    const count = await number(at, 2)
    const end = at + 2 + count * 12
    for (let entry = at + 2; entry < end; entry += 12) {
      reader.countElement()
      const tag = await number(entry, 2)
      const values = await number(entry + 4, 4)
      const width = typeBytes[await number(entry + 2, 2)] ?? 0
      const length = width * values
      const offset = length <= 4 ? entry + 8 : await number(entry + 8, 4)
      if (offset + length > reader.size) throw new MalformedMedia('a value exceeds the file')
      if (isGps || removedTags.has(tag)) await overwrites.add(offset, isGps && length <= 4 ? 0 : length)
      else if (privateTags.has(tag)) isComplete = false
      else if (tag === gpsDirectory) waiting.push({ at: await number(entry + 8, 4), isGps: true })
      else if (directoryTags.has(tag) && width === 4) {
        for (let index = 0; index < Math.min(values, maxDirectories); index += 1)
          waiting.push({ at: await number(offset + index * 4, 4), isGps: false })
      }
    }
    if (isGps) await overwrites.add(at, end - at)
    else waiting.push({ at: await number(end, 4), isGps: false })
  }
  return isComplete
}
