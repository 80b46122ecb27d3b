import { createHash } from 'node:crypto'
import { openThreadHash, type ThreadHash } from './hashThread.ts'

/** Bytes up to which a sum is made at once: it takes 0.4 ms at most, and a thread would not be quicker. */
const little = 256 * 1024

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
  let held: Buffer[] = []
  let size = 0
  let elsewhere: ThreadHash | null = null
  return {
    async update(chunk) {
      if (elsewhere) return elsewhere.update(chunk)
      held.push(chunk)
      size += chunk.length
      if (size <= little) return
      elsewhere = openThreadHash()
      for (const one of held) await elsewhere.update(one)
      held = []
    },
    async digest() {
      if (elsewhere) return elsewhere.digest()
      const hash = createHash('md5')
      for (const one of held) hash.update(one)
      return hash.digest('hex')
    },
    abandon() {
      elsewhere?.abandon()
      held = []
    },
  }
}
