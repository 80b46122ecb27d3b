/** Bytes of files that stay cached although they are not displayed. */
const MAX_BYTES = 64 * 1024 * 1024

interface Entry {
  url: Promise<string>
  /** The object URL once it is created. */
  ready: string | null
  bytes: number
  users: number
}

export interface FileCache {
  /** An object URL of the bytes at a path; rejects if they can't be fetched. Call `release` when it is not displayed. */
  acquire: (path: string) => { url: Promise<string>; release: () => void }
  /** The object URL of a path that is cached; else null. */
  ready: (path: string) => string | null
  clear: () => void
}

/** Fetches each file once; caches those that are displayed, and the most recently displayed others. */
export function createFileCache(
  fetchBytes: (path: string) => Promise<Blob>,
  maxBytes: number = MAX_BYTES,
): FileCache {
  const entries = new Map<string, Entry>()

  function trim() {
    let total = 0
    for (const entry of entries.values()) total += entry.bytes
    for (const [path, entry] of entries) {
      if (total <= maxBytes) return
      if (entry.users > 0) continue
      total -= entry.bytes
      drop(path, entry)
    }
  }

  function drop(path: string, entry: Entry) {
    if (entries.get(path) === entry) entries.delete(path)
    void entry.url.then((url) => URL.revokeObjectURL(url)).catch(() => {})
  }

  function load(path: string): Entry {
    const entry: Entry = { url: Promise.resolve(''), ready: null, bytes: 0, users: 0 }
    entry.url = fetchBytes(path).then((blob) => {
      entry.bytes = blob.size
      entry.ready = URL.createObjectURL(blob)
      return entry.ready
    })
    entry.url.then(trim, () => {
      // A failed request is not cached.
      if (entries.get(path) === entry) entries.delete(path)
    })
    return entry
  }

  return {
    acquire: (path) => {
      const entry = entries.get(path) ?? load(path)
      // The most recent is last, since eviction starts with the first.
      entries.delete(path)
      entries.set(path, entry)
      entry.users += 1
      let released = false
      return {
        url: entry.url,
        release: () => {
          if (released) return
          released = true
          entry.users -= 1
          trim()
        },
      }
    },
    ready: (path) => entries.get(path)?.ready ?? null,
    clear: () => {
      for (const [path, entry] of entries) drop(path, entry)
    },
  }
}
