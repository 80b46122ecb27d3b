const sampleIntervalMs = 5_000
/** A minute. */
const maxSamples = 12

/**
 * The rates per second at which totals grow, averaged over the last minute. Totals are sampled every few seconds, so
 * that components only count.
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
    samples = [...samples.slice(-(maxSamples - 1)), sample()]
  }, sampleIntervalMs)
  timer.unref()
  return {
    perSecond() {
      const from = samples[0]!
      const now = sample()
      // At least a second: a few events right after the start would otherwise give an excessive rate.
      const seconds = Math.max(1, (now.at - from.at) / 1000)
      const names = Object.keys(now.totals) as Name[]
      return Object.fromEntries(
        names.map((name) => [name, (now.totals[name] - from.totals[name]) / seconds]),
      ) as Record<Name, number>
    },
    close: () => clearInterval(timer),
  }
}
