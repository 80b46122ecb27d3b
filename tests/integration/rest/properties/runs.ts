const requested = Number(process.env.LINNET_RUNS ?? 1)
const times = Number.isFinite(requested) && requested > 0 ? requested : 1

/** Number of cases of a property: `n`, times LINNET_RUNS. */
export function runs(n: number): number {
  return Math.max(1, Math.round(n * times))
}

/** Timeout of a property in ms. It ends only what hangs. */
export const timeoutMs = 600_000 * Math.max(1, times)
