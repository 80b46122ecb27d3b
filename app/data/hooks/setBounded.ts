/** Stores a value as the newest entry of a map, and evicts the oldest ones beyond `maxEntries`. */
export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, maxEntries: number): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= maxEntries) return
    map.delete(oldest)
  }
}
