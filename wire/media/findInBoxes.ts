// oxlint-disable no-await-in-loop -- a file is read in order
import { readBoxes, removeBox, type Box } from './boxes.ts'
import { findInItems } from './findInItems.ts'
import { findInMovie } from './findInMovie.ts'
import { MalformedMedia, type MediaReader } from './MediaReader.ts'
import type { Overwrites } from './Overwrites.ts'

/**
 * Boxes that players and decoders need: of MP4 and QuickTime, of HEIF, JPEG XL and JPEG 2000. All others, free space
 * included, may contain anything: texts of cameras, Exif, XMP, positions of a dashboard camera.
 */
const keptBoxes =
  /^(?:ftyp|styp|mdat|mfra|sidx|ssix|prft|pdin|wide|imda|idat|pnot|PICT|JXL |jxl[clip]|jbrd|jP {2}|jp2[hc]|rreq)$/
/** A video in a video: a picture with a video can contain it. */
const maxDepth = 3

/**
 * Finds the metadata of a file of boxes: MP4, QuickTime, HEIC, AVIF, JPEG XL, JPEG 2000, Canon's CR3.
 * @param range a whole file, or one within another file; its offsets begin at `start`
 * @returns whether these are all places where it can contain a location
 */
export async function findInBoxes(
  reader: MediaReader,
  overwrites: Overwrites,
  range: { start: number; end: number },
  depth = 0,
): Promise<boolean> {
  if (depth > maxDepth) throw new MalformedMedia('too many files in each other')
  const boxes = await readBoxes(reader, range.start, range.end)
  const hasFragments = boxes.some(({ type }) => type === 'moof')
  let isComplete = true
  for (const box of boxes) {
    if (keptBoxes.test(box.type)) continue
    if (box.type === 'moov') {
      const found = await findInMovie(reader, overwrites, { box, base: range.start })
      // Fragments have further samples of a removed track.
      if (hasFragments && found.hasRemovedTrack) isComplete = false
    } else if (box.type === 'moof') await findInFragment(reader, overwrites, box)
    else if (box.type === 'meta') await findInItems(reader, overwrites, { box, base: range.start })
    else if (box.type === 'mpvd') {
      const inner = { start: box.body, end: box.end }
      if (!(await findInBoxes(reader, overwrites, inner, depth + 1))) isComplete = false
    } else await removeBox(reader, overwrites, box)
  }
  return isComplete
}

async function findInFragment(reader: MediaReader, overwrites: Overwrites, fragment: Box): Promise<void> {
  for (const box of await readBoxes(reader, fragment.body, fragment.end)) {
    if (box.type === 'traf') await findInFragment(reader, overwrites, box)
    else if (/^(?:udta|meta|uuid|free|skip)$/.test(box.type)) await removeBox(reader, overwrites, box)
  }
}
