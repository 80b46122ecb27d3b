const sampleEveryMs = 5_000
/** A minute. */
const mostSamples = 12

/**
 * How fast totals grow, a second, averaged over the last minute: read from the totals every few seconds, so
 * that whoever counts only counts.
 */
export function watchRates<Name extends string>(
  totals: () => Record<Name, number>,
): { perSecond(): Record<Name, number>; close(): void } {
  const sample = (): { at: number; totals: Record<Name, number> } => ({
    at: performance.now(),
    totals: totals(),
  })
  let samples = [sample()]
  const timer = setInterval(() => {
    samples = [...samples.slice(-(mostSamples - 1)), sample()]
  }, sampleEveryMs)
  timer.unref()
  return {
    perSecond() {
      const from = samples[0]!
      const now = sample()
      // At least a second: what came right after the start would look like a flood.
      const seconds = Math.max(1, (now.at - from.at) / 1000)
      const names = Object.keys(now.totals) as Name[]
      return Object.fromEntries(
        names.map((name) => [name, (now.totals[name] - from.totals[name]) / seconds]),
      ) as Record<Name, number>
    },
    close: () => clearInterval(timer),
  }
}
