import { createHash } from 'node:crypto'
import { openThreadHash, type ThreadHash } from './hashThread.ts'

/** Bytes up to which the hash is computed inline: it takes at most 0.4 ms, and a thread would not be faster. */
const inlineLimit = 256 * 1024

/** The MD5 of bytes that arrive. */
export interface Md5 {
  /** Adds bytes, which must not be changed afterwards; resolves when more may be added. */
  update(chunk: Buffer): Promise<void>
  /** In hexadecimal digits. Ends it. */
  digest(): Promise<string>
  /** Ends it without a result. */
  abandon(): void
}

/**
 * Large files are hashed in a worker thread: on the main thread it took more time than the rest of an upload, and
 * delayed other requests.
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
