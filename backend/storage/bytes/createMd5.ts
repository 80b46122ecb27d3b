import { createHash } from 'node:crypto'
import { openThreadHash, type ThreadHash } from './hashThread.ts'

/** Bytes up to which a sum is made at once: it takes 0.4 ms at most, and a thread would not be quicker. */
const inlineLimit = 256 * 1024

/** The MD5 of bytes that arrive. */
export interface Md5 {
  /** Takes bytes, which nobody may change any more; resolves when there is room for the next ones. */
  update(chunk: Buffer): Promise<void>
  /** In hexadecimal digits. Ends it. */
  digest(): Promise<string>
  /** Ends it without a sum. */
  abandon(): void
}

/**
 * The sum of a large file is made in a thread beside this one: here it took more time than all else that an upload
 * needs, and held up whoever wanted something else meanwhile.
 */
export function createMd5(): Md5 {
  let buffered: Buffer[] = []
  let size = 0
  let threadHash: ThreadHash | null = null
  return {
    async update(chunk) {
      if (threadHash) return threadHash.update(chunk)
      buffered.push(chunk)
      size += chunk.length
      if (size <= inlineLimit) return
      threadHash = openThreadHash()
      for (const one of buffered) await threadHash.update(one)
      buffered = []
    },
    async digest() {
      if (threadHash) return threadHash.digest()
      const hash = createHash('md5')
      for (const one of buffered) hash.update(one)
      return hash.digest('hex')
    },
    abandon() {
      threadHash?.abandon()
      buffered = []
    },
  }
}
