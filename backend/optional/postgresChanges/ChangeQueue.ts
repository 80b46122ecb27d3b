import type { WalChange } from './walChange.ts'
import type { NumberedChange } from './evaluateChanges.ts'

/** Maximum of one batch. */
const maxBatch = { changes: 200, bytes: 1024 * 1024 }
/** Reading is paused while more than this waits. */
const maxWaiting = { changes: 2_000, bytes: 16 * 1024 * 1024 }

interface Options {
  /** Must not reject. */
  work: (batch: NumberedChange[]) => Promise<void>
  pause: () => void
  resume: () => void
}

/**
 * Changes in the order of their commits, processed in batches: those that arrive while one is evaluated wait for the
 * next. Bounded by pausing the reader.
 */
export class ChangeQueue {
  readonly #o: Options
  #waiting: NumberedChange[] = []
  #bytes = 0
  #number = 0
  #working = false
  #isPaused = false

  constructor(o: Options) {
    this.#o = o
  }

  /** The number of the next change. */
  get next(): number {
    return this.#number
  }

  get length(): number {
    return this.#waiting.length
  }

  push(change: WalChange): void {
    this.#waiting.push({ change, number: this.#number++ })
    this.#bytes += change.bytes
    if (!this.#isPaused && this.#exceeds(1)) {
      this.#isPaused = true
      this.#o.pause()
    }
    if (this.#working) return
    this.#working = true
    // After the changes that arrived with it were read.
    setImmediate(() => void this.#run())
  }

  /** Drops all waiting changes. */
  clear(): void {
    this.#waiting = []
    this.#bytes = 0
    this.#resumeIfDrained()
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#take()
      this.#resumeIfDrained()
      await this.#o.work(batch)
    }
    this.#working = false
  }

  #take(): NumberedChange[] {
    let count = 0
    let bytes = 0
    for (const { change } of this.#waiting) {
      if (count === maxBatch.changes || (count > 0 && bytes + change.bytes > maxBatch.bytes)) break
      count++
      bytes += change.bytes
    }
    this.#bytes -= bytes
    return this.#waiting.splice(0, count)
  }

  #resumeIfDrained(): void {
    if (!this.#isPaused || this.#exceeds(0.5)) return
    this.#isPaused = false
    this.#o.resume()
  }

  #exceeds(share: number): boolean {
    return this.#waiting.length > maxWaiting.changes * share || this.#bytes > maxWaiting.bytes * share
  }
}
