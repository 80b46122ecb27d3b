const startRate = 20
const endRate = 10_000
/** The search ends when the lowest rate that failed is at most this multiple of the highest one that succeeded. */
const resolution = 1.1

/**
 * The result of the highest rate at which `attempt` succeeds: the rate doubles until an attempt fails, and then the gap is
 * halved. A failed attempt returns null. Returns null if the lowest rate fails.
 */
export async function findMaxRate<Result>(
  attempt: (rate: number) => Promise<Result | null>,
): Promise<Result | null> {
  let best: Result | null = null
  let [succeeded, failed] = [0, Infinity]
  for (let rate = startRate; rate < endRate;) {
    const result = await attempt(rate)
    if (result) [best, succeeded] = [result, rate]
    else failed = rate
    if (best === null || failed / succeeded <= resolution) break
    rate = failed === Infinity ? rate * 2 : Math.round((succeeded + failed) / 2)
  }
  return best
}
