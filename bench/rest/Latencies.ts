/** The result of one round: responses a second, and latency percentiles in ms. */
export interface Load {
  rate: number
  p50: number
  p99: number
}

/** Latencies in ms, collected without an allocation for each request. */
export class Latencies {
  #values = new Float64Array(4_096)
  #count = 0

  add(ms: number): void {
    if (this.#count === this.#values.length) {
      const more = new Float64Array(this.#count * 2)
      more.set(this.#values)
      this.#values = more
    }
    this.#values[this.#count++] = ms
  }

  /** Awaits `work`, which adds latencies, and returns the result. */
  async during(work: () => Promise<unknown>): Promise<Load> {
    const begun = performance.now()
    await work()
    const seconds = (performance.now() - begun) / 1000
    const sorted = this.#values.subarray(0, this.#count).sort()
    const quantile = (share: number): number =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
    return { rate: this.#count / seconds, p50: quantile(0.5), p99: quantile(0.99) }
  }
}
