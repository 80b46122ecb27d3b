/** Bytes of small, immutable, frequently read files: avatars and thumbnails. */
export interface ByteCache {
  get(name: string): Buffer | undefined
  /** Evicts the least recently used entries where needed; ignores files that are too large. */
  set(name: string, whole: Buffer): void
  delete(name: string): void
}

/**
 * Reading a small file costs four thread switches, more than the rest of a response.
 *
 * @param o.maxTotalBytes bytes of all entries
 * @param o.maxFileBytes bytes of the largest entry
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

/** For objects, and separately for thumbnails. */
export const defaultCacheLimits = { maxTotalBytes: 8 * 2 ** 20, maxFileBytes: 64 * 2 ** 10 }
