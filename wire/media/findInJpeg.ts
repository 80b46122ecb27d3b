// oxlint-disable no-await-in-loop -- a file is read in order
import { createTiff, orientationOf } from './exif.ts'
import { bytesOf, MalformedMedia, type MediaReader } from './MediaReader.ts'
import type { Overwrites } from './Overwrites.ts'

/** Application segments that a decoder needs, with the names at their beginnings. All others may contain anything. */
const keptSegments: Record<number, RegExp> = {
  0xe0: /^JFIF\0/,
  // Colours, the list of further images, and the parameters of a gain map.
  0xe2: /^(ICC_PROFILE\0|MPF\0|urn:iso:std:iso:ts:21496:-1\0)/,
  0xee: /^Adobe/,
}

/**
 * Finds the metadata of the JPEG image that begins at `start` (ITU T.81 B.1.1): Exif, XMP, IPTC, comments, and
 * application segments of cameras. A segment becomes an unused one of the same length; Exif retains the orientation.
 * @returns the end of the image
 */
export async function findInJpeg(
  reader: MediaReader,
  overwrites: Overwrites,
  start: number,
): Promise<number> {
  let at = start + 2
  for (;;) {
    reader.countElement()
    // A decoder shows what there is of a truncated image.
    if (at + 2 > reader.size) return reader.size
    const head = await reader.view(at, 2)
    const marker = head.getUint8(1)
    if (head.getUint8(0) !== 0xff || marker === 0 || marker === 0xd8) throw new MalformedMedia('no marker')
    if (marker === 0xd9) return at + 2
    // A marker may be preceded by any number of fill bytes.
    if (marker === 0xff) at += 1
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2
    else {
      const end = at + 2 + (await reader.view(at + 2, 2)).getUint16(0)
      if (end < at + 4 || end > reader.size) throw new MalformedMedia('a segment exceeds the file')
      if (!(await isKept(reader, marker, at, end))) await addSegment(reader, overwrites, at, end)
      at = marker === 0xda ? await findScanEnd(reader, end) : end
    }
  }
}

async function isKept(reader: MediaReader, marker: number, at: number, end: number): Promise<boolean> {
  const isApplication = marker >= 0xe0 && marker <= 0xef
  if (!isApplication) return marker !== 0xfe
  const name = await reader.text(at + 4, Math.min(40, end - at - 4))
  return keptSegments[marker]?.test(name) ?? false
}

async function addSegment(
  reader: MediaReader,
  overwrites: Overwrites,
  at: number,
  end: number,
): Promise<void> {
  const segment = await reader.bytes(at, end - at)
  const isExif = segment[1] === 0xe1 && segment[4] === 0x45 && segment[5] === 0x78
  const orientation = isExif ? orientationOf(segment.subarray(10)) : 1
  const length = segment.slice(2, 4)
  const exif = [...bytesOf('Exif\0\0'), ...createTiff(orientation)]
  const head = orientation === 1 ? [0xef, ...length] : [0xe1, ...length, ...exif]
  await overwrites.add(at + 1, end - at - 1, Uint8Array.from(head))
}

/** The next marker after the compressed data of a scan, in which 0xff is followed by 0 or by a restart marker. */
async function findScanEnd(reader: MediaReader, from: number): Promise<number> {
  for (let at = from; at < reader.size;) {
    const chunk = await reader.chunk(at, reader.size)
    let found = chunk.indexOf(0xff)
    for (; found !== -1 && found + 1 < chunk.length; found = chunk.indexOf(0xff, found + 1)) {
      const next = chunk[found + 1]!
      if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at + found
    }
    // A last byte of 0xff is read again, with the byte behind it.
    at += found === -1 || chunk.length === 1 ? chunk.length : chunk.length - 1
  }
  return reader.size
}
