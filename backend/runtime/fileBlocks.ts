import type { FileHandle } from 'node:fs/promises'

const blockBytes = 1024 * 1024

/** Blocks that nobody uses. With a new block for each read and each write, V8 would collect garbage continuously. */
const free: Buffer[] = []
const takeBlock = (): Buffer => free.pop() ?? Buffer.allocUnsafeSlow(blockBytes)

/** A whole file in blocks. The bytes of a block are valid until the next block is requested. */
export async function* readBlocks(file: FileHandle): AsyncGenerator<Buffer> {
  const block = takeBlock()
  try {
    for (let at = 0; ;) {
      const { bytesRead } = await file.read(block, 0, blockBytes, at)
      if (bytesRead === 0) return
      yield block.subarray(0, bytesRead)
      at += bytesRead
    }
  } finally {
    free.push(block)
  }
}

/** Copies chunks into blocks, of which only the last one is shorter. A block is valid until the next one is requested. */
export async function* collectBlocks(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const block = takeBlock()
  let filled = 0
  try {
    for await (const chunk of source) {
      for (let at = 0; at < chunk.length;) {
        const copied = chunk.copy(block, filled, at)
        at += copied
        filled += copied
        if (filled < blockBytes) continue
        yield block
        filled = 0
      }
    }
    if (filled > 0) yield block.subarray(0, filled)
  } finally {
    free.push(block)
  }
}
