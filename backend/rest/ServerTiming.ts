const STAGES = ['jwt', 'parse', 'plan', 'transaction', 'response'] as const

type Stage = (typeof STAGES)[number]

/** Measures the stages of one request (W3C Server Timing). */
export class ServerTiming {
  #since = performance.now()
  readonly #durations = new Map<Stage, number>()

  /** Ends a stage, which began at the end of the one before. */
  end(stage: Stage): void {
    const now = performance.now()
    this.#durations.set(stage, now - this.#since)
    this.#since = now
  }

  /** `jwt;dur=0.1, parse;dur=0.4, …` in milliseconds; 0 for stages that did not run. */
  render(): string {
    return STAGES.map((stage) => `${stage};dur=${(this.#durations.get(stage) ?? 0).toFixed(1)}`).join(', ')
  }
}
