// oxlint-disable no-await-in-loop -- a file is read in order
import { MalformedMedia, type MediaReader } from './MediaReader.ts'
import type { Overwrites } from './Overwrites.ts'

const ids = {
  header: 0x1a45dfa3,
  segment: 0x18538067,
  cluster: 0x1f43b675,
  tags: 0x1254c367,
  tracks: 0x1654ae6b,
  track: 0xae,
  trackType: 0x83,
  void: 0xec,
} as const
/** The type of a track that contains data for programs. */
const metadataTrack = 0x21

interface Element {
  id: number
  /** Where its content begins. */
  body: number
  /** Infinity: up to the next element of a higher level, as in a recording. */
  end: number
}

/** RFC 8794: the number of leading zero bits is the number of further bytes. */
async function readElement(reader: MediaReader, at: number): Promise<Element> {
  reader.countElement()
  const number = async (offset: number, maxBytes: number, keepsMarker: boolean) => {
    const first = (await reader.bytes(offset, 1))[0]!
    const width = Math.clz32(first) - 23
    if (width > maxBytes) throw new MalformedMedia('no element')
    let value = keepsMarker ? first : first & (0xff >> width)
    let isUnknown = (first | (0xff << (8 - width))) % 256 === 0xff
    for (const byte of await reader.bytes(offset + 1, width - 1)) {
      value = value * 256 + byte
      isUnknown &&= byte === 0xff
    }
    return { value, width, isUnknown }
  }
  const id = await number(at, 4, true)
  const size = await number(at + id.width, 8, false)
  const body = at + id.width + size.width
  return { id: id.value, body, end: size.isUnknown ? Infinity : body + size.value }
}

/** An element that a player skips, of this length with its header. */
function voidHead(length: number): Uint8Array {
  if (length < 2) throw new MalformedMedia('an element is too short')
  if (length < 9) return Uint8Array.of(ids.void, 0x80 | (length - 2))
  const head = new Uint8Array(9)
  const view = new DataView(head.buffer)
  view.setUint8(0, ids.void)
  view.setUint32(1, 0x0100_0000 + Math.floor((length - 9) / 2 ** 32))
  view.setUint32(5, (length - 9) % 2 ** 32)
  return head
}

/**
 * Finds the tags of a Matroska or WebM file (RFC 9559), and unused space, which may have old tags.
 * @returns whether these are all places where it can contain a location: it may have a track with data for programs
 */
export async function findInMatroska(reader: MediaReader, overwrites: Overwrites): Promise<boolean> {
  let isComplete = true
  for (let at = 0; at < reader.size;) {
    const { id, body, end } = await readElement(reader, at)
    const isContainer = id === ids.segment || id === ids.cluster
    if (end === Infinity && !isContainer) throw new MalformedMedia('an element has no end')
    // A recording that was interrupted ends within its last element.
    if (end > reader.size && !isContainer) return isComplete
    if (id === ids.tags && end > body) await overwrites.add(body, end - body, voidHead(end - body))
    else if (id === ids.void) await overwrites.add(body, end - body)
    else if (id === ids.tracks && (await hasMetadataTrack(reader, body, end))) isComplete = false
    at = id === ids.segment || end === Infinity ? body : end
  }
  return isComplete
}

async function hasMetadataTrack(reader: MediaReader, from: number, to: number): Promise<boolean> {
  for (let at = from; at < to;) {
    const { id, body, end } = await readElement(reader, at)
    if (end > to) throw new MalformedMedia('an element exceeds its parent')
    if (id === ids.trackType && end > body && (await reader.bytes(end - 1, 1))[0] === metadataTrack)
      return true
    at = id === ids.track ? body : end
  }
  return false
}
