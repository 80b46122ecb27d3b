import type { FileHandle } from 'node:fs/promises'
import { createTemporaryFile } from './createTemporaryFile.ts'
import { ExportError } from './ExportError.ts'
import type { ExportedMessage } from './ExportReader.ts'

/** The messages of an export, sorted. */
export interface MessageSpool {
  /**
   * The messages of a channel by their times; messages with the same time in the order in which they were read.
   * @param onDuplicate called for each message that has the key and time of another one
   */
  read(channel: string, onDuplicate?: () => void): AsyncGenerator<ExportedMessage>
  close(): Promise<void>
}

/** Where each message is, in the order of reading: 24 bytes for each message, whether its channel has one message or a million. */
interface Index {
  times: Float64Array
  offsets: Float64Array
  lengths: Uint32Array
  /** The position of the message before in the same channel; -1 for the first one. */
  previous: Int32Array
  size: number
  /** The position of the last message of each channel. */
  last: Map<string, number>
}

const maxMessages = 20_000_000
/** Messages that wait in memory. Each channel's are written together, so that they can be read together. */
const maxWaitingBytes = 8 * 2 ** 20
/** Messages that are read together. */
const maxBatchBytes = 4 * 2 ** 20
const maxBatchMessages = 2_000

/**
 * Writes messages to a temporary file, which takes as much space as their texts. Exports have the messages of all channels together,
 * or not in their order, and can be larger than the memory. Throws ExportError beyond 20 million messages.
 */
export async function spoolMessages(
  messages: AsyncIterable<ExportedMessage>,
  { directory, maxWaiting = maxWaitingBytes }: { directory: string; maxWaiting?: number },
): Promise<MessageSpool> {
  const file = await createTemporaryFile(directory)
  const index: Index = {
    times: new Float64Array(1_024),
    offsets: new Float64Array(1_024),
    lengths: new Uint32Array(1_024),
    previous: new Int32Array(1_024),
    size: 0,
    last: new Map(),
  }
  try {
    await writeMessages(messages, file, index, maxWaiting)
  } catch (error) {
    await file.close()
    throw error
  }
  return {
    read: (channel, onDuplicate) => readMessages(file, index, channel, onDuplicate),
    close: () => file.close(),
  }
}

async function writeMessages(
  messages: AsyncIterable<ExportedMessage>,
  file: FileHandle,
  index: Index,
  maxWaiting: number,
): Promise<void> {
  /** The messages from the position `first` on, and their channels. */
  let waiting: Buffer[] = []
  const channels = new Set<string>()
  let [first, waitingBytes, written] = [0, 0, 0]
  const flush = async (): Promise<void> => {
    const buffers: Buffer[] = []
    for (const channel of channels)
      for (const position of positionsOf(index, channel, first)) {
        const bytes = waiting[position - first]!
        index.offsets[position] = written
        written += bytes.length
        buffers.push(bytes)
      }
    await file.appendFile(Buffer.concat(buffers))
    waiting = []
    channels.clear()
    ;[first, waitingBytes] = [index.size, 0]
  }
  for await (const message of messages) {
    if (index.size >= maxMessages) throw new ExportError(`The export has more than ${maxMessages} messages.`)
    const bytes = Buffer.from(JSON.stringify(message))
    addMessage(index, message, bytes.length)
    channels.add(message.channel)
    waiting.push(bytes)
    waitingBytes += bytes.length
    if (waitingBytes >= maxWaiting) await flush()
  }
  await flush()
}

function addMessage(index: Index, { channel, at }: ExportedMessage, length: number): void {
  const position = index.size++
  if (position === index.times.length) {
    index.times = grow(index.times, new Float64Array(position * 2))
    index.offsets = grow(index.offsets, new Float64Array(position * 2))
    index.lengths = grow(index.lengths, new Uint32Array(position * 2))
    index.previous = grow(index.previous, new Int32Array(position * 2))
  }
  index.times[position] = at
  index.lengths[position] = length
  index.previous[position] = index.last.get(channel) ?? -1
  index.last.set(channel, position)
}

function grow<T extends Float64Array | Uint32Array | Int32Array>(array: T, larger: T): T {
  larger.set(array)
  return larger
}

/** The positions of the messages of a channel from a position on, in the order of reading. */
function positionsOf({ previous, last }: Index, channel: string, first = 0): number[] {
  const positions: number[] = []
  for (let at = last.get(channel) ?? -1; at >= first; at = previous[at]!) positions.push(at)
  return positions.reverse()
}

/** Duplicates have the same time, so that only the keys of one time have to be known. */
async function* readMessages(
  file: FileHandle,
  index: Index,
  channel: string,
  onDuplicate: (() => void) | undefined,
): AsyncGenerator<ExportedMessage> {
  const { times, offsets, lengths } = index
  const order = positionsOf(index, channel).sort((a, b) => times[a]! - times[b]! || a - b)
  const keys = new Set<string>()
  let time = Number.NaN
  for (let start = 0; start < order.length;) {
    let [end, bytes] = [start, 0]
    while (end < order.length && end - start < maxBatchMessages && (end === start || bytes < maxBatchBytes))
      bytes += lengths[order[end++]!]!
    const batch = order.slice(start, end)
    const texts = await readRanges(
      file,
      batch.map((at) => ({ offset: offsets[at]!, length: lengths[at]! })),
    )
    for (const text of texts) {
      const message = JSON.parse(text) as ExportedMessage
      if (message.at !== time) keys.clear()
      time = message.at
      if (keys.has(message.key)) {
        onDuplicate?.()
        continue
      }
      keys.add(message.key)
      yield message
    }
    start = end
  }
}

interface Range {
  offset: number
  length: number
}

/** Reads ranges of a file. Adjacent ones are read together. */
async function readRanges(file: FileHandle, ranges: readonly Range[]): Promise<string[]> {
  const texts: string[] = Array.from({ length: ranges.length })
  const order = Array.from(ranges.keys()).sort((a, b) => ranges[a]!.offset - ranges[b]!.offset)
  for (let start = 0; start < order.length;) {
    const { offset } = ranges[order[start]!]!
    let [end, length] = [start, 0]
    while (end < order.length && ranges[order[end]!]!.offset === offset + length)
      length += ranges[order[end++]!]!.length
    const bytes = Buffer.allocUnsafe(length)
    const { bytesRead } = await file.read(bytes, 0, length, offset)
    if (bytesRead !== length) throw new Error('The temporary file of the import is shorter than it was.')
    for (const at of order.slice(start, end)) {
      const from = ranges[at]!.offset - offset
      texts[at] = bytes.toString('utf8', from, from + ranges[at]!.length)
    }
    start = end
  }
  return texts
}
