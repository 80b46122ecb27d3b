/** Bytes that stay at hand though nothing shows them. */
const MAX_BYTES = 64 * 1024 * 1024

interface Entry {
  url: Promise<string>
  /** The same once it is known. */
  ready: string | null
  bytes: number
  users: number
}

export interface FileCache {
  /** An object URL of the bytes at a path; rejects when they can't be fetched. Release when not shown. */
  acquire: (path: string) => { url: Promise<string>; release: () => void }
  /** The object URL of a path whose bytes are here already, else null. */
  ready: (path: string) => string | null
  clear: () => void
}

/** Fetches each file once, keeps what is shown and some of what was, the least recent going first. */
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
      // A failure isn't remembered: the next look tries again.
      if (entries.get(path) === entry) entries.delete(path)
    })
    return entry
  }

  return {
    acquire: (path) => {
      const entry = entries.get(path) ?? load(path)
      // The newest is last, so that trimming begins with the least recent.
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
