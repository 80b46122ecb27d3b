// oxlint-disable no-control-regex -- files begin with bytes, not text
// oxlint-disable no-await-in-loop -- a file is read in order
import { isMarkup } from '../isMarkup.ts'
import type { ByteSource } from './ByteSource.ts'
import { findInBoxes } from './findInBoxes.ts'
import { findInGif } from './findInGif.ts'
import { findInJpeg } from './findInJpeg.ts'
import { findInMatroska } from './findInMatroska.ts'
import { findInPng } from './findInPng.ts'
import { findInTiff } from './findInTiff.ts'
import { findInWebp } from './findInWebp.ts'
import { latin1, MalformedMedia, MediaReader } from './MediaReader.ts'
import { Overwrites, type Overwrite } from './Overwrites.ts'

export interface FoundMetadata {
  /** The ranges to overwrite, in order. */
  overwrites: Overwrite[]
  /** False if the file may contain a location elsewhere: its format is unknown or malformed. */
  isComplete: boolean
}

/** Types of pictures without metadata, which are also the weakest signatures. */
const bareTypes = /^image\/(?:bmp|x-ms-bmp|x-icon|vnd\.microsoft\.icon|svg\+xml)$/
/** File name extensions of pictures and videos whose types browsers do not know, and which are not read here. */
const otherMediaNames =
  /\.(?:avi|wmv|flv|mts|m2ts|mpe?g|vob|mod|tod|insv|360|raf|orf|rw2|x3f|mrw|psd|heics?|heif|avif|3fr|arw|cr[23]|dng|nef|pef|srw)$/i

/**
 * Whether a file is a picture or a video by what its sender declares. The content alone decides what is removed; this
 * decides whether an unknown content may have a location.
 */
export function isDeclaredMedia({ name, type }: { name: string; type: string }): boolean {
  if (bareTypes.test(type)) return false
  return /^(?:image|video)\//.test(type) || otherMediaNames.test(name)
}

type Find = (reader: MediaReader, overwrites: Overwrites) => Promise<boolean | void>

const findInFile: Find = (reader, overwrites) =>
  findInBoxes(reader, overwrites, { start: 0, end: reader.size })

/** Formats by their first bytes, as Latin-1 text. A strong signature never begins a text. */
const formats: readonly { signature: RegExp; isStrong: boolean; find: Find }[] = [
  { signature: /^\x89PNG\r\n\x1a\n/, isStrong: true, find: findInPng },
  { signature: /^\xff\xd8\xff/, isStrong: true, find: findInJpegs },
  { signature: /^GIF8[79]a/, isStrong: false, find: findInGif },
  { signature: /^RIFF[^]{4}WEBP/, isStrong: true, find: findInWebp },
  { signature: /^\x1aE\xdf\xa3/, isStrong: true, find: findInMatroska },
  { signature: /^[^]{4}ftyp/, isStrong: true, find: findInFile },
  { signature: /^\0\0\0\x0c(?:JXL |jP {2})\r\n\x87\n/, isStrong: true, find: findInFile },
  { signature: /^[^]{4}(?:moov|mdat|wide|free|skip|pnot)/, isStrong: false, find: findInFile },
  { signature: /^(?:II\*\0|MM\0\*)/, isStrong: true, find: findInTiff },
  // JPEG XL without a container has no metadata.
  { signature: /^\xff\x0a/, isStrong: false, find: async () => {} },
]

/** The signatures are within the first bytes. */
const headBytes = 12

/**
 * Finds where a picture or video contains its location, and all other metadata of cameras and programs, by its content.
 * Overwriting the found ranges removes it and changes neither the length nor any pixel or sound. Never throws for a
 * malformed file.
 * @param declared what the sender states; see `isDeclaredMedia`
 */
export async function findMetadata(
  source: ByteSource,
  declared: { name: string; type: string },
): Promise<FoundMetadata> {
  const reader = new MediaReader(source)
  const head = latin1(await source.read(0, 512))
  const format = formats.find(({ signature }) => signature.test(head.slice(0, headBytes)))
  const isExpected = isDeclaredMedia(declared)
  if (!format) return { overwrites: [], isComplete: !isExpected || source.size === 0 || isMarkup(head) }
  const overwrites = new Overwrites(reader)
  try {
    const isComplete = (await format.find(reader, overwrites)) ?? true
    return { overwrites: overwrites.finish(), isComplete }
  } catch (error) {
    if (!(error instanceof MalformedMedia)) throw error
    return { overwrites: [], isComplete: !isExpected && !format.isStrong }
  }
}

/**
 * Finds the metadata of a JPEG file: of its image, and of what follows it. Further images are a gain map or a preview, a
 * video is the other part of a motion photo. Anything else is overwritten as a whole.
 */
async function findInJpegs(reader: MediaReader, overwrites: Overwrites): Promise<boolean> {
  let at = await findInJpeg(reader, overwrites, 0)
  for (let next = await findNext(reader, at); next; next = await findNext(reader, at)) {
    const before = overwrites.count
    at = next.at
    try {
      if (next.isImage) {
        at = await findInJpeg(reader, overwrites, at)
        continue
      }
      if (await findInBoxes(reader, overwrites, { start: at, end: reader.size }, 1)) return true
    } catch (error) {
      if (!(error instanceof MalformedMedia)) throw error
    }
    overwrites.truncate(before)
    break
  }
  await overwrites.add(at, reader.size - at)
  return true
}

/** The image or video that follows at `from`, after any number of zeros; null for anything else. */
async function findNext(reader: MediaReader, from: number): Promise<{ at: number; isImage: boolean } | null> {
  for (let at = from; at < reader.size;) {
    const chunk = await reader.chunk(at, reader.size)
    const found = chunk.findIndex((byte) => byte !== 0)
    at += found === -1 ? chunk.length : found
    if (found === -1) continue
    // A video begins with its first box's size, whose first bytes are zeros.
    const start = Math.max(from, at - 3)
    const head = await reader.text(start, Math.min(headBytes, reader.size - start))
    const box = head.indexOf('ftyp') - 4
    if (box >= 0) return { at: start + box, isImage: false }
    return head.startsWith('\xff\xd8\xff', at - start) ? { at, isImage: true } : null
  }
  return null
}
