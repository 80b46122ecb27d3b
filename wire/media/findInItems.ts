// oxlint-disable no-await-in-loop -- a file is read in order
import { readBoxes, removeBox, type Box } from './boxes.ts'
import { createTiff, orientationOf } from './exif.ts'
import { MalformedMedia, type MediaReader } from './MediaReader.ts'
import type { Overwrites } from './Overwrites.ts'
import type { Range } from './readSampleRanges.ts'

/** Types of items that are images, or describe how images are combined. All others may contain anything. */
const imageTypes = /^(?:hvc1|lhv1|hev1|av01|avc1|vvc1|evc1|j2k1|jpeg|unci|grid|iovl|iden|tmap|mski)$/
const keptBoxes = /^(?:hdlr|pitm|iinf|iloc|iprp|ipro|iref|idat|dinf|grpl)$/
const maxExifBytes = 64 * 1024

/**
 * Finds the metadata among the items of HEIC and AVIF (ISO 14496-12, 8.11): Exif, XMP, and items of unknown types.
 * Exif retains the orientation.
 * @param o.base the offset of the file that contains the box, from which its offsets are counted
 */
export async function findInItems(
  reader: MediaReader,
  overwrites: Overwrites,
  o: { box: Box; base: number },
): Promise<void> {
  const { box, base } = o
  // QuickTime's box has no version and flags.
  const isQuickTime = box.end - box.body >= 8 && (await reader.text(box.body + 4, 4)) === 'hdlr'
  const boxes = await readBoxes(reader, box.body + (isQuickTime ? 0 : 4), box.end)
  const itemInfo = boxes.find(({ type }) => type === 'iinf')
  // Tags of a video.
  if (!itemInfo) return removeBox(reader, overwrites, box)
  for (const other of boxes) if (!keptBoxes.test(other.type)) await removeBox(reader, overwrites, other)
  const types = await readItemTypes(reader, itemInfo)
  const idat = boxes.find(({ type }) => type === 'idat')
  const locations = boxes.find(({ type }) => type === 'iloc')
  if (!locations) throw new MalformedMedia('items without locations')
  const isRemoved = (id: number) => !imageTypes.test(types.get(id) ?? '')
  for (const { id, extents } of await readExtents(reader, locations, {
    base,
    idat: idat?.body ?? null,
    isRemoved,
  })) {
    const [first] = extents
    const head = first && types.get(id) === 'Exif' ? await exifHead(reader, first) : new Uint8Array()
    for (const extent of extents)
      await overwrites.add(extent.start, extent.end - extent.start, extent === first ? head : undefined)
  }
}

/** An offset of 0, then a TIFF block with the same orientation. Empty if the item is too short for it. */
async function exifHead(reader: MediaReader, { start, end }: Range): Promise<Uint8Array> {
  const bytes = await reader.bytes(start, Math.min(end - start, maxExifBytes))
  if (bytes.length < 4) return new Uint8Array()
  const offset = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
  const tiff = createTiff(orientationOf(bytes.subarray(4 + offset)))
  return bytes.length < 4 + tiff.length ? new Uint8Array() : Uint8Array.from([0, 0, 0, 0, ...tiff])
}

async function readItemTypes(reader: MediaReader, box: Box): Promise<Map<number, string>> {
  const version = (await reader.bytes(box.body, 1))[0]!
  const entries = await readBoxes(reader, box.body + (version === 0 ? 6 : 8), box.end)
  const types = new Map<number, string>()
  for (const entry of entries) {
    if (entry.type !== 'infe') throw new MalformedMedia('no item')
    const ofEntry = (await reader.bytes(entry.body, 1))[0]!
    if (ofEntry < 2 || ofEntry > 3) throw new MalformedMedia('an old version of items')
    const idBytes = ofEntry === 2 ? 2 : 4
    const id = await reader.view(entry.body + 4, idBytes)
    types.set(
      idBytes === 2 ? id.getUint16(0) : id.getUint32(0),
      await reader.text(entry.body + 4 + idBytes + 2, 4),
    )
  }
  return types
}

interface Places {
  base: number
  /** The content of the box `idat`; null if there is none. */
  idat: number | null
  isRemoved: (id: number) => boolean
}

/** Reads where the removed items are. */
async function readExtents(
  reader: MediaReader,
  box: Box,
  { base, idat, isRemoved }: Places,
): Promise<{ id: number; extents: Range[] }[]> {
  let at = box.body
  const number = async (bytes: number): Promise<number> => {
    if (bytes === 0) return 0
    const view = await reader.view(at, bytes)
    at += bytes
    if (at > box.end) throw new MalformedMedia('a table exceeds its box')
    if (bytes === 1) return view.getUint8(0)
    if (bytes === 2) return view.getUint16(0)
    if (bytes === 4) return view.getUint32(0)
    if (bytes === 8) return view.getUint32(0) * 2 ** 32 + view.getUint32(4)
    throw new MalformedMedia('an odd width')
  }
  const version = await number(1)
  at += 3
  const widths = await number(2)
  const [offsetBytes, lengthBytes, baseBytes] = [widths >> 12, (widths >> 8) & 15, (widths >> 4) & 15]
  const indexBytes = version === 0 ? 0 : widths & 15
  const items: { id: number; extents: Range[] }[] = []
  for (let left = await number(version < 2 ? 2 : 4); left > 0; left -= 1) {
    reader.countElement()
    const id = await number(version < 2 ? 2 : 4)
    const method = version === 0 ? 0 : (await number(2)) & 15
    const file = await number(2)
    const offset = await number(baseBytes)
    const extents: Range[] = []
    for (let rest = await number(2); rest > 0; rest -= 1) {
      reader.countElement()
      await number(indexBytes)
      const start = offset + (await number(offsetBytes))
      const length = await number(lengthBytes)
      if (!isRemoved(id)) continue
      const from = method === 0 ? base : method === 1 ? idat : null
      if (from === null || file !== 0 || length === 0) throw new MalformedMedia('an item in an unknown place')
      extents.push({ start: from + start, end: from + start + length })
    }
    if (extents.length > 0) items.push({ id, extents })
  }
  return items
}
