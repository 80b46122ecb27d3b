/** Bytes of files that are small, never change, and are asked for again and again: faces and thumbnails. */
export interface ByteMemory {
  get(name: string): Buffer | undefined
  /** Forgets what was used least recently where there is no room; does nothing for a file that is not small. */
  keep(name: string, whole: Buffer): void
  forget(name: string): void
}

/**
 * Reading a small file changes threads four times, which costs more than all the rest of an answer.
 *
 * @param o.bound bytes kept in all
 * @param o.largest bytes of the largest file that is kept
 */
export function createByteMemory(o: { bound: number; largest: number }): ByteMemory {
  /** The least recently used first. */
  const kept = new Map<string, Buffer>()
  let total = 0
  const forget = (name: string): void => {
    const buffer = kept.get(name)
    if (!buffer) return
    total -= buffer.length
    kept.delete(name)
  }
  return {
    get(name) {
      const buffer = kept.get(name)
      if (buffer) {
        kept.delete(name)
        kept.set(name, buffer)
      }
      return buffer
    },
    keep(name, whole) {
      if (whole.length > o.largest) return
      forget(name)
      kept.set(name, whole)
      total += whole.length
      for (const oldest of kept.keys()) {
        if (total <= o.bound) return
        forget(oldest)
      }
    },
    forget,
  }
}

/** For objects, and again for pictures in other sizes. */
export const usualMemory = { bound: 8 * 2 ** 20, largest: 64 * 2 ** 10 }
