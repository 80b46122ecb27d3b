import type { Logger } from '../../logging/logger.ts'
import { errors } from '../errors.ts'

/** Milliseconds without a request after which combined requests reload. A single request reloads at once. */
const DEBOUNCE_MS = 50
/** Milliseconds after which combined requests reload at the latest. */
const MAX_WAIT_MS = 5_000
/** The first delay after a failure. Each further delay is twice as long. */
const MIN_RETRY_MS = 250
const MAX_RETRY_MS = 10_000
/** Milliseconds that HTTP requests wait for the first load. */
const FIRST_LOAD_TIMEOUT_MS = 3_000

/**
 * Stores the last complete result of `load`. The last result is used while another load runs or fails, so requests
 * wait only for the first one.
 */
export class Reloader<T> {
  #current: T | null = null
  #loading: Promise<void> | null = null
  #isRequestedAgain = false
  #closed = false
  /** Time of the first pending request, and of the last request. */
  #waitingSince: number | null = null
  #requestedAt = -Infinity
  #timer: NodeJS.Timeout | undefined
  #failures = 0
  readonly #load: (before: T | null) => Promise<T>
  readonly #log: Logger

  constructor(load: (before: T | null) => Promise<T>, log: Logger) {
    this.#load = load
    this.#log = log
  }

  /** Returns the current result, if any, without a promise. */
  get current(): T | null {
    return this.#current
  }

  /** Waits for the first result for a limited time. Throws PGRST002. */
  async get(): Promise<T> {
    if (this.#current) return this.#current
    const loading = this.#loading ?? this.reload()
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise((resolve) => (timer = setTimeout(resolve, FIRST_LOAD_TIMEOUT_MS)))
    await Promise.race([loading.catch(() => {}), timeout])
    clearTimeout(timer)
    if (!this.#current) throw errors.noSchemaCache()
    return this.#current
  }

  /** Loads at once, or once more after a running load. Rejects if the last load fails. */
  reload(): Promise<void> {
    if (this.#loading) {
      this.#isRequestedAgain = true
      return this.#loading
    }
    clearTimeout(this.#timer)
    this.#waitingSince = null
    this.#loading = this.#loadWanted().finally(() => (this.#loading = null))
    this.#loading.catch((error: Error) => this.#tryAgain(error))
    return this.#loading
  }

  /** Loads soon, once for many requests. */
  requestReload(): void {
    if (this.#closed) return
    const now = performance.now()
    const isAlone = now - this.#requestedAt > DEBOUNCE_MS
    this.#requestedAt = now
    if (isAlone && !this.#loading) return this.#reloadIn(0)
    this.#waitingSince ??= now
    this.#reloadIn(Math.max(0, Math.min(DEBOUNCE_MS, this.#waitingSince + MAX_WAIT_MS - now)))
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#loading?.catch(() => {})
  }

  async #loadWanted(): Promise<void> {
    do {
      this.#isRequestedAgain = false
      this.#current = await this.#load(this.#current)
      this.#failures = 0
    } while (this.#isRequestedAgain && !this.#closed)
  }

  #tryAgain(error: Error): void {
    if (this.#closed) return
    const pause = Math.min(MIN_RETRY_MS * 2 ** this.#failures++, MAX_RETRY_MS)
    this.#log.warn('rest.schema_load_failed', { reason: error.message, retryMs: pause })
    this.#reloadIn(pause)
  }

  #reloadIn(milliseconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.reload().catch(() => {}), milliseconds)
  }
}
