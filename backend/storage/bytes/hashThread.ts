import { createThread } from '../../runtime/createThread.ts'

/** Bytes sent to the thread in one message, and the maximum number of such blocks for each file. */
const blockSize = 256 * 1024
const maxBlocks = 4

/** Number of the file, what to do, and for `add` a block with the length of its content. */
type HashCall =
  | [file: number, operation: 'add', length: number, block: ArrayBufferLike]
  | [file: number, operation: 'digest' | 'abandon']

const thread = createThread<HashCall, string | null>(
  `(() => {
    const { createHash } = require('node:crypto')
    const hashes = new Map()
    return ([file, operation, length, block]) => {
      const hash = hashes.get(file) ?? createHash('md5')
      if (operation === 'add') {
        hashes.set(file, hash.update(new Uint8Array(block, 0, length)))
        return null
      }
      hashes.delete(file)
      return operation === 'digest' ? hash.digest('hex') : null
    }
  })()`,
  // Uploads wait for it.
  { niceness: 0 },
)
let last = 0

/** A hash that is computed in the thread while bytes arrive. `digest` or `abandon` is called once, at the end. */
export interface ThreadHash {
  /** Copies the bytes; resolves when more may be added. */
  update(chunk: Uint8Array): Promise<void>
  /** In hexadecimal digits. */
  digest(): Promise<string>
  abandon(): void
}

/** Starts an MD5 in the thread. All methods but `abandon` throw the error of the thread. */
export function openThreadHash(): ThreadHash {
  const file = ++last
  const session = thread.open()
  const freeBlocks: Buffer[] = []
  /** Resolve in the order in which the blocks were sent. */
  const sentBlocks: Promise<void>[] = []
  let allocated = 0
  let block: Buffer | null = null
  let filled = 0

  const takeBlock = async (): Promise<Buffer> => {
    if (freeBlocks.length === 0 && allocated < maxBlocks) {
      allocated++
      return Buffer.from(new SharedArrayBuffer(blockSize))
    }
    while (freeBlocks.length === 0) await sentBlocks[0]
    return freeBlocks.pop()!
  }
  const sendBlock = (): void => {
    if (!block) return
    const sent = block
    const hashed = session.run([file, 'add', filled, sent.buffer]).then(() => {
      freeBlocks.push(sent)
      void sentBlocks.shift()
    })
    // Awaited by what follows; one that rejects stays the first.
    hashed.catch(() => {})
    sentBlocks.push(hashed)
    block = null
    filled = 0
  }

  return {
    async update(chunk) {
      for (let from = 0; from < chunk.length;) {
        block ??= await takeBlock()
        const part = chunk.subarray(from, from + blockSize - filled)
        block.set(part, filled)
        filled += part.length
        from += part.length
        if (filled === blockSize) sendBlock()
      }
    },
    async digest() {
      try {
        sendBlock()
        return (await session.run([file, 'digest']))!
      } finally {
        session.close()
      }
    },
    abandon() {
      session.run([file, 'abandon']).catch(() => {})
      session.close()
    },
  }
}
