/** In view for this long (ms), a message counts as seen: longer than it flies by, shorter than it is read. */
const SEEN_AFTER_MS = 250

/** What has been in view, by number, for a moment on end. */
export interface SeenTracker {
  /**
   * What is in view now (nothing, while nobody looks). Answers in how many ms the next of them will have been
   * seen, null when all have.
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
