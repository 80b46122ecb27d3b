// oxlint-disable no-await-in-loop -- a file is read in order
import { readBoxes, requireBox, type Box } from './boxes.ts'
import { MalformedMedia, type MediaReader } from './MediaReader.ts'

/** Offsets of a file. */
export interface Range {
  start: number
  end: number
}

/** A table of numbers in a box. */
interface Table {
  count: number
  view: DataView
}

/**
 * The ranges of a track's samples, in the order of its chunks (ISO 14496-12, 8.6 and 8.7).
 * @param minf the box with the track's tables
 * @param base the beginning of the file, from which the offsets in the tables are counted
 */
export async function readSampleRanges(reader: MediaReader, minf: Box, base: number): Promise<Range[]> {
  const boxes = await readBoxes(reader, minf.body, minf.end)
  await requireOwnData(reader, boxes)
  const stbl = requireBox(boxes, 'stbl')
  const tables = await readBoxes(reader, stbl.body, stbl.end)
  const isLong = tables.some(({ type }) => type === 'co64')
  const offsets = await readTable(reader, requireBox(tables, isLong ? 'co64' : 'stco'), isLong ? 8 : 4)
  const runs = await readTable(reader, requireBox(tables, 'stsc'), 12)
  const sizeOf = await readSizes(reader, tables)
  const ranges: Range[] = []
  let run = 0
  let sample = 0
  for (let chunk = 0; chunk < offsets.count; chunk += 1) {
    if (run + 1 < runs.count && runs.view.getUint32((run + 1) * 12) <= chunk + 1) run += 1
    const samples = runs.count === 0 ? 0 : runs.view.getUint32(run * 12 + 4)
    const start =
      base +
      (isLong
        ? offsets.view.getUint32(chunk * 8) * 2 ** 32 + offsets.view.getUint32(chunk * 8 + 4)
        : offsets.view.getUint32(chunk * 4))
    const length = sizeOf(sample, samples)
    sample += samples
    if (length > 0) ranges.push({ start, end: start + length })
  }
  return ranges
}

/** Throws MalformedMedia if samples are in another file. */
async function requireOwnData(reader: MediaReader, boxes: readonly Box[]): Promise<void> {
  const dinf = boxes.find(({ type }) => type === 'dinf')
  if (!dinf) return
  for (const dref of await readBoxes(reader, dinf.body, dinf.end)) {
    if (dref.type !== 'dref') continue
    for (const entry of await readBoxes(reader, dref.body + 8, dref.end)) {
      const isOwn = ((await reader.bytes(entry.body + 3, 1))[0]! & 1) === 1
      if (!isOwn) throw new MalformedMedia('samples in another file')
    }
  }
}

/** Reads a table behind a number of entries. */
async function readTable(reader: MediaReader, box: Box, width: number, from = 4): Promise<Table> {
  const count = (await reader.view(box.body + from, 4)).getUint32(0)
  if (box.body + from + 4 + count * width > box.end) throw new MalformedMedia('a table exceeds its box')
  return { count, view: await reader.view(box.body + from + 4, count * width) }
}

/** Reads the sizes of samples. The function returns the size of `samples` samples from the one with index `first`. */
async function readSizes(
  reader: MediaReader,
  tables: readonly Box[],
): Promise<(first: number, samples: number) => number> {
  const compact = tables.find(({ type }) => type === 'stz2')
  if (compact) throw new MalformedMedia('compact sizes of samples')
  const box = requireBox(tables, 'stsz')
  const [each, count] = [await reader.view(box.body + 4, 4), await reader.view(box.body + 8, 4)]
  const fixed = each.getUint32(0)
  const total = count.getUint32(0)
  if (fixed !== 0) return (first, samples) => Math.max(0, Math.min(samples, total - first)) * fixed
  const { view } = await readTable(reader, box, 4, 8)
  return (first, samples) => {
    let length = 0
    for (let index = first; index < Math.min(first + samples, total); index += 1)
      length += view.getUint32(index * 4)
    return length
  }
}
