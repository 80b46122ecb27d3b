/** Bytes of files that are small, never change, and are asked for again and again: faces and thumbnails. */
export interface ByteCache {
  get(name: string): Buffer | undefined
  /** Forgets what was used least recently where there is no room; does nothing for a file that is not small. */
  set(name: string, whole: Buffer): void
  delete(name: string): void
}

/**
 * Reading a small file changes threads four times, which costs more than all the rest of an answer.
 *
 * @param o.bound bytes kept in all
 * @param o.largest bytes of the largest file that is kept
 */
export function createByteCache(o: { maxTotalBytes: number; maxFileBytes: number }): ByteCache {
  /** The least recently used first. */
  const entries = new Map<string, Buffer>()
  let total = 0
  const remove = (name: string): void => {
    const buffer = entries.get(name)
    if (!buffer) return
    total -= buffer.length
    entries.delete(name)
  }
  return {
    get(name) {
      const buffer = entries.get(name)
      if (buffer) {
        entries.delete(name)
        entries.set(name, buffer)
      }
      return buffer
    },
    set(name, whole) {
      if (whole.length > o.maxFileBytes) return
      remove(name)
      entries.set(name, whole)
      total += whole.length
      for (const oldest of entries.keys()) {
        if (total <= o.maxTotalBytes) return
        remove(oldest)
      }
    },
    delete: remove,
  }
}

/** For objects, and again for pictures in other sizes. */
export const defaultCacheLimits = { maxTotalBytes: 8 * 2 ** 20, maxFileBytes: 64 * 2 ** 10 }
