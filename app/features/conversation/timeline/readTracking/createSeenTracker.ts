/** Milliseconds in view after which a message counts as seen: longer than scrolling past, shorter than reading. */
const SEEN_AFTER_MS = 250

/** Tracks by number which messages have been in view without interruption. */
export interface SeenTracker {
  /**
   * Receives the numbers in view (none while nobody is attentive). Returns in how many milliseconds the next of them
   * will count as seen; null if all do.
   */
  update: (now: number, inView: readonly number[]) => number | null
  has: (number: number) => boolean
}

export function createSeenTracker(): SeenTracker {
  const seen = new Set<number>()
  let since = new Map<number, number>()
  return {
    update: (now, inView) => {
      const still = new Map<number, number>()
      let next: number | null = null
      for (const number of inView) {
        if (seen.has(number)) continue
        const from = since.get(number) ?? now
        if (now - from >= SEEN_AFTER_MS) {
          seen.add(number)
          continue
        }
        still.set(number, from)
        next = Math.min(next ?? SEEN_AFTER_MS, SEEN_AFTER_MS - (now - from))
      }
      since = still
      return next
    },
    has: (number) => seen.has(number),
  }
}
