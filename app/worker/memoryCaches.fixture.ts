/** `CacheStorage` in memory, as far as the worker uses it, for tests. */
export function memoryCaches(): CacheStorage {
  const stored = new Map<string, Map<string, Response>>()
  const openCache = (entries: Map<string, Response>): Cache =>
    ({
      match: async (path: string) => entries.get(path)?.clone(),
      put: async (path: string, response: Response) => {
        // A browser stores the whole body, or nothing.
        const { status, headers } = response
        entries.set(path, new Response(await response.arrayBuffer(), { status, headers }))
      },
      keys: async () => [...entries.keys()].map((path) => new Request(new URL(path, 'https://chat.example'))),
    }) as unknown as Cache
  return {
    open: async (name: string) => {
      const entries = stored.get(name) ?? new Map<string, Response>()
      stored.set(name, entries)
      return openCache(entries)
    },
    keys: async () => [...stored.keys()],
    delete: async (name: string) => stored.delete(name),
    match: async (path: string) => {
      for (const entries of stored.values()) {
        const found = entries.get(path)
        if (found) return found.clone()
      }
      return undefined
    },
  } as unknown as CacheStorage
}
