const STAGES = ['jwt', 'parse', 'plan', 'transaction', 'response'] as const

type Stage = (typeof STAGES)[number]

/** How long each stage of one request took (W3C Server Timing). */
export class ServerTiming {
  #since = performance.now()
  readonly #durations = new Map<Stage, number>()

  /** The stage took all the time since the one before it. */
  end(stage: Stage): void {
    const now = performance.now()
    this.#durations.set(stage, now - this.#since)
    this.#since = now
  }

  /** `jwt;dur=0.1, parse;dur=0.4, …` in milliseconds; a stage that there was no need for took none. */
  render(): string {
    return STAGES.map((stage) => `${stage};dur=${(this.#durations.get(stage) ?? 0).toFixed(1)}`).join(', ')
  }
}
