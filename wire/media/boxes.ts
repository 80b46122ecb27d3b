// oxlint-disable no-await-in-loop -- a file is read in order
import { bytesOf, latin1, MalformedMedia, type MediaReader } from './MediaReader.ts'
import type { Overwrites } from './Overwrites.ts'

/** A box of the ISO base media file format (ISO 14496-12), or an atom of QuickTime. */
export interface Box {
  type: string
  /** The offset of its header. */
  start: number
  /** The offset of its content. */
  body: number
  end: number
}

/** Bytes of the UUID with which the content of a box of type `uuid` begins. */
const uuidBytes = 16

/** Reads the header of the box at `at`, which ends at `end` at the latest. A size of 0 means up to there. */
async function readBox(reader: MediaReader, at: number, end: number): Promise<Box> {
  reader.countElement()
  const head = await reader.view(at, 8)
  const type = latin1(new Uint8Array(head.buffer, head.byteOffset + 4, 4))
  const short = head.getUint32(0)
  let body = at + 8
  let size = short === 0 ? end - at : short
  if (short === 1) {
    const long = await reader.view(body, 8)
    size = long.getUint32(0) * 2 ** 32 + long.getUint32(4)
    body += 8
  }
  if (at + size < body || at + size > end) throw new MalformedMedia('a box exceeds its parent')
  return { type, start: at, body, end: at + size }
}

/** Reads the boxes of a range. Fewer than eight bytes at its end are no box: QuickTime writes zeros there. */
export async function readBoxes(reader: MediaReader, from: number, to: number): Promise<Box[]> {
  const boxes: Box[] = []
  for (let at = from; at + 8 <= to;) {
    const box = await readBox(reader, at, to)
    boxes.push(box)
    at = box.end
  }
  return boxes
}

/** Reads the first box of this type. Throws MalformedMedia if there is none. */
export function requireBox(boxes: readonly Box[], type: string): Box {
  const found = boxes.find((box) => box.type === type)
  if (!found) throw new MalformedMedia(`no box ${type}`)
  return found
}

/** Turns a box into free space of the same length. */
export async function removeBox(reader: MediaReader, overwrites: Overwrites, box: Box): Promise<void> {
  const longSize = await reader.bytes(box.start + 8, box.body - box.start - 8)
  await overwrites.add(
    box.start + 4,
    box.end - box.start - 4,
    Uint8Array.from([...bytesOf('free'), ...longSize]),
  )
}

/** The UUID of a box of type `uuid`, in hexadecimal digits. */
export async function readUuid(reader: MediaReader, box: Box): Promise<string> {
  if (box.end - box.body < uuidBytes) return ''
  const bytes = await reader.bytes(box.body, uuidBytes)
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
