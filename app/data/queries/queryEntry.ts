import { createRetry } from '../hooks/createRetry.ts'
import { attempt, createFailure, type Failure, type Outcome } from '../failures/failures.ts'

export interface QueryState<T> {
  /** Undefined until the first response. It stays while it is fetched again, and when that fails. */
  value: T | undefined
  /** The failure of the last fetch; null after a success. */
  failure: Failure | null
  isFetching: boolean
}

/** The state before the first response. */
export const WAITING: QueryState<never> = { value: undefined, failure: null, isFetching: true }

/** Fetches a value. `before` is the current value, to which a page is appended. */
export type Load<T> = (before: T | undefined) => Promise<Outcome<T>>

interface Options<T> {
  load: Load<T>
  /** False once the session of the entry has ended. */
  isCurrent: () => boolean
  /** Milliseconds for which a new watcher causes no fetch. */
  freshMs: number
  /** Called when the value is watched. Returns the function that is called when it no longer is. */
  follow: (entry: QueryEntry<T>) => () => void
}

/** The state of one key. Only one request of an entry runs at a time, so that responses cannot arrive in the wrong order. */
export class QueryEntry<T> {
  state: QueryState<T> = WAITING
  readonly #options: Options<T>
  readonly #listeners = new Set<() => void>()
  #isStale = true
  #fetchedAt = -Infinity
  #next: Load<T> | null = null
  #failed: Load<T> | null = null
  #running: Load<T> | null = null
  /** Incremented by `set`: responses of earlier requests are dropped. */
  #changes = 0
  readonly #retry = createRetry()
  #isRetryScheduled = false
  #revision: unknown
  #stop = () => {}

  constructor(options: Options<T>) {
    this.#options = options
  }

  get isWatched(): boolean {
    return this.#listeners.size > 0
  }

  /** Calls the listener after each change, and fetches the value unless it is fresh. */
  watch(listener: () => void, freshMs = this.#options.freshMs): () => void {
    const isFirst = !this.isWatched
    this.#listeners.add(listener)
    if (isFirst) this.#stop = this.#options.follow(this)
    if (performance.now() - this.#fetchedAt >= freshMs && !this.#running) this.#isStale = true
    void this.#run()
    return () => {
      this.#listeners.delete(listener)
      if (!this.isWatched) this.#stop()
    }
  }

  /** Fetches the value again: at once if it is watched, else for the next watcher. */
  invalidate(): void {
    this.#isStale = true
    this.#fetchedAt = -Infinity
    void this.#run()
  }

  /** Invalidates the value if the last call had another revision. */
  setRevision(revision: unknown): void {
    const isOther = this.#revision !== undefined && this.#revision !== revision
    this.#revision = revision
    if (isOther) this.invalidate()
  }

  /** Runs a load after the current request, such as the load of the next page; only one at a time. */
  request(load: Load<T>): void {
    if (this.#running && this.#running !== this.#options.load) return
    this.#next = load
    void this.#run()
  }

  /** Repeats the load that failed, or else fetches the value again. */
  retry(): void {
    const failed = this.#failed
    if (failed && failed !== this.#options.load) this.request(failed)
    else this.invalidate()
  }

  /** Replaces the value. The response of a request that is under way is dropped, and the request is repeated. */
  set(value: T): void {
    this.#changes += 1
    this.#show({ value, failure: null })
  }

  /** Repeats a failed request after a delay. A request that succeeds before then makes this unnecessary. */
  #retryLater(): void {
    if (this.#isRetryScheduled) return
    this.#isRetryScheduled = true
    this.#retry.schedule(() => {
      this.#isRetryScheduled = false
      if (this.state.failure) this.retry()
    })
  }

  #show(change: Partial<QueryState<T>>): void {
    this.state = { ...this.state, ...change }
    for (const listener of this.#listeners) listener()
  }

  async #run(): Promise<void> {
    if (this.#running) return
    const { load: refresh, isCurrent } = this.#options
    while ((this.#isStale || this.#next) && this.isWatched && isCurrent()) {
      const load = this.#isStale ? refresh : (this.#next ?? refresh)
      if (this.#isStale) this.#isStale = false
      else this.#next = null
      this.#running = load
      if (!this.state.isFetching) this.#show({ isFetching: true })
      const changes = this.#changes
      const { value } = this.state
      const outcome = await attempt(() => load(value))
      if (!isCurrent()) return this.#show({ failure: createFailure('session_ended'), isFetching: false })
      if (changes !== this.#changes) {
        if (load === refresh) this.#isStale = true
        else this.#next = load
        continue
      }
      this.#failed = outcome.ok ? null : load
      if (outcome.ok) {
        this.#fetchedAt = performance.now()
        this.#retry.reset()
        this.#show({ value: outcome.value, failure: null })
      } else {
        this.#show({ failure: outcome.failure })
        if (outcome.failure.isRetryable) this.#retryLater()
      }
    }
    if (!this.#running) return
    this.#running = null
    this.#show({ isFetching: false })
  }
}
