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

/** Where each message of a channel is, in the order of reading. */
interface ChannelIndex {
  times: number[]
  offsets: number[]
  lengths: number[]
}

const maxMessages = 20_000_000
/** Messages that wait in memory. Each channel's are written together, so that they can be read together. */
const maxWaitingBytes = 16 * 2 ** 20
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
  const index = new Map<string, ChannelIndex>()
  try {
    await writeMessages(messages, file, index, maxWaiting)
  } catch (error) {
    await file.close()
    throw error
  }
  return {
    async *read(channel, onDuplicate) {
      const found = index.get(channel)
      if (found !== undefined) yield* distinct(readMessages(file, found), onDuplicate)
    },
    close: () => file.close(),
  }
}

async function writeMessages(
  messages: AsyncIterable<ExportedMessage>,
  file: FileHandle,
  index: Map<string, ChannelIndex>,
  maxWaiting: number,
): Promise<void> {
  let waiting = new Map<string, Buffer[]>()
  let [waitingBytes, written, count] = [0, 0, 0]
  const flush = async (): Promise<void> => {
    const buffers: Buffer[] = []
    for (const [channel, found] of waiting) {
      const { offsets } = index.get(channel)!
      for (const bytes of found) {
        offsets.push(written)
        written += bytes.length
        buffers.push(bytes)
      }
    }
    waiting = new Map()
    waitingBytes = 0
    await file.appendFile(Buffer.concat(buffers))
  }
  for await (const message of messages) {
    if (++count > maxMessages) throw new ExportError(`The export has more than ${maxMessages} messages.`)
    const { channel } = message
    const bytes = Buffer.from(JSON.stringify(message))
    const own = index.get(channel) ?? { times: [], offsets: [], lengths: [] }
    index.set(channel, own)
    own.times.push(message.at)
    own.lengths.push(bytes.length)
    const buffers = waiting.get(channel)
    if (buffers) buffers.push(bytes)
    else waiting.set(channel, [bytes])
    waitingBytes += bytes.length
    if (waitingBytes >= maxWaiting) await flush()
  }
  await flush()
}

async function* readMessages(
  file: FileHandle,
  { times, offsets, lengths }: ChannelIndex,
): AsyncGenerator<ExportedMessage> {
  const order = Array.from(times.keys()).sort((a, b) => times[a]! - times[b]! || a - b)
  for (let start = 0; start < order.length;) {
    let [end, bytes] = [start, 0]
    while (end < order.length && end - start < maxBatchMessages && (end === start || bytes < maxBatchBytes))
      bytes += lengths[order[end++]!]!
    const batch = order.slice(start, end)
    const texts = await readRanges(
      file,
      batch.map((at) => ({ offset: offsets[at]!, length: lengths[at]! })),
    )
    for (const text of texts) yield JSON.parse(text) as ExportedMessage
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

/** Duplicates have the same time, so that only the keys of one time have to be known. */
async function* distinct(
  messages: AsyncIterable<ExportedMessage>,
  onDuplicate: (() => void) | undefined,
): AsyncGenerator<ExportedMessage> {
  let keys = new Set<string>()
  let time = Number.NaN
  for await (const message of messages) {
    if (message.at !== time) keys = new Set()
    time = message.at
    if (keys.has(message.key)) {
      onDuplicate?.()
      continue
    }
    keys.add(message.key)
    yield message
  }
}
