// oxlint-disable no-await-in-loop -- a file is read in order
import { MalformedMedia, type MediaReader } from './MediaReader.ts'
import type { Overwrites } from './Overwrites.ts'

/** Extensions of applications that a decoder needs: the number of repetitions, and colours. */
const keptApplications = /^(?:NETSCAPE2\.0|ANIMEXTS1\.0|ICCRGBG1012)$/

const colourBytes = (flags: number): number => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0)

/** Finds the metadata of a GIF (GIF89a): comments, texts, and what applications have added, such as XMP. */
export async function findInGif(reader: MediaReader, overwrites: Overwrites): Promise<void> {
  let at = 13 + colourBytes((await reader.bytes(10, 1))[0]!)
  for (;;) {
    reader.countElement()
    // A decoder shows what there is of a truncated image.
    if (at >= reader.size) return
    const block = (await reader.bytes(at, 1))[0]
    if (block === 0x3b) return overwrites.add(at + 1, reader.size - at - 1)
    if (block === 0x2c) {
      at += 11 + colourBytes((await reader.bytes(at + 9, 1))[0]!)
      at = await readBlocks(reader, at, async () => {})
    } else if (block === 0x21) {
      const label = (await reader.bytes(at + 1, 1))[0]
      const name = label === 0xff ? await reader.text(at + 3, 11) : ''
      const isRemoved = label === 0xfe || label === 0x01 || (label === 0xff && !keptApplications.test(name))
      const first = label === 0xff ? at + 14 : at + 2
      at = await readBlocks(reader, first, async (offset, length) => {
        if (isRemoved) await overwrites.add(offset, length)
      })
    } else throw new MalformedMedia('no block')
  }
}

/** Reads blocks up to the empty one. Returns the offset behind that. */
async function readBlocks(
  reader: MediaReader,
  from: number,
  use: (offset: number, length: number) => Promise<void>,
): Promise<number> {
  for (let at = from; ;) {
    reader.countElement()
    if (at >= reader.size) return reader.size
    const length = (await reader.bytes(at, 1))[0]!
    if (length === 0) return at + 1
    await use(at + 1, Math.min(length, reader.size - at - 1))
    at += 1 + length
  }
}
