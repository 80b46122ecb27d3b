import type { Logger } from '../../logging/logger.ts'
import { errors } from '../errors.ts'

/** A wish out of the blue is heard at once; those that follow it are one, heard when none has come for this long … */
const QUIET_MS = 50
/** … or when the first of them has waited for this long. */
const LONGEST_WAIT_MS = 5_000
/** Between attempts after a failure, doubling. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000
/** A request at start waits this long for the first reading before it is told to come back. */
const FIRST_PATIENCE_MS = 3_000

/**
 * Keeps the newest whole answer of `load`. While another is read, or can't be, the last one serves: nobody sees
 * half of one, and nobody waits but for the first.
 */
export class Reloader<T> {
  #current: T | null = null
  #loading: Promise<void> | null = null
  #wantsAnother = false
  #closed = false
  /** When the first of the wishes came that wait, and the last of all. */
  #waitingSince: number | null = null
  #wishedAt = -Infinity
  #timer: NodeJS.Timeout | undefined
  #failures = 0
  readonly #load: (before: T | null) => Promise<T>
  readonly #log: Logger

  constructor(load: (before: T | null) => Promise<T>, log: Logger) {
    this.#load = load
    this.#log = log
  }

  /** If it is there: the way without a promise. */
  get current(): T | null {
    return this.#current
  }

  /** Before the first is there, waits a little for it. Throws PGRST002. */
  async get(): Promise<T> {
    if (this.#current) return this.#current
    const loading = this.#loading ?? this.reload()
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise((resolve) => (timer = setTimeout(resolve, FIRST_PATIENCE_MS)))
    await Promise.race([loading.catch(() => {}), patience])
    clearTimeout(timer)
    if (!this.#current) throw errors.noSchemaCache()
    return this.#current
  }

  /** Reads anew at once; asked during a reading, once more after it. Rejects when the last one failed. */
  reload(): Promise<void> {
    if (this.#loading) {
      this.#wantsAnother = true
      return this.#loading
    }
    clearTimeout(this.#timer)
    this.#waitingSince = null
    this.#loading = this.#loadWanted().finally(() => (this.#loading = null))
    this.#loading.catch((error: Error) => this.#tryAgain(error))
    return this.#loading
  }

  /** Reads anew soon, once for many wishes. */
  wish(): void {
    if (this.#closed) return
    const now = performance.now()
    const isAlone = now - this.#wishedAt > QUIET_MS
    this.#wishedAt = now
    if (isAlone && !this.#loading) return this.#reloadIn(0)
    this.#waitingSince ??= now
    this.#reloadIn(Math.max(0, Math.min(QUIET_MS, this.#waitingSince + LONGEST_WAIT_MS - now)))
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#loading?.catch(() => {})
  }

  async #loadWanted(): Promise<void> {
    do {
      this.#wantsAnother = false
      this.#current = await this.#load(this.#current)
      this.#failures = 0
    } while (this.#wantsAnother && !this.#closed)
  }

  #tryAgain(error: Error): void {
    if (this.#closed) return
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures++, LONGEST_PAUSE_MS)
    this.#log.warn('schema not read', { error: error.message, retryMs: pause })
    this.#reloadIn(pause)
  }

  #reloadIn(milliseconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.reload().catch(() => {}), milliseconds)
  }
}
