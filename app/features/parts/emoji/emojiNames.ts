let names: ReadonlyMap<string, string> | null = null
let request: Promise<ReadonlyMap<string, string>> | null = null

/** The standard emoji by their names, such as `tada`. Rejects if they can't be loaded. */
export function loadEmojiNames(): Promise<ReadonlyMap<string, string>> {
  request ??= readNames()
  // What could not be loaded is requested again.
  request.catch(() => (request = null))
  return request
}

async function readNames(): Promise<ReadonlyMap<string, string>> {
  const { loadEmoji } = await import('./emojiData.ts')
  const groups = await loadEmoji()
  names = new Map(groups.flat().flatMap(({ emoji, shortcodes }) => shortcodes.map((name) => [name, emoji])))
  return names
}

/** The standard emoji of a name; null if there is none, or if the names are not loaded: then it loads them. */
export function emojiNamed(name: string): string | null {
  if (names === null) loadEmojiNames().catch(() => {})
  return names?.get(name) ?? null
}
