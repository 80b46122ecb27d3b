import { FunctionError, type LoadedFunction, type LoadFunction } from '../functionSeam.ts'
import { FileStamps } from '../../FileStamps.ts'

/** Milliseconds for which files are believed to be as they were. */
const believedMs = 1_000

/** A function as it was last loaded, or why it could not be. */
export type Sourced = { loaded: LoadedFunction } | { error: FunctionError }

/**
 * A function on disk: loaded at the first call, and anew when a file that it was made of has changed, which is
 * looked at when somebody calls, once a second at most.
 */
export class FunctionSource {
  readonly #load: LoadFunction
  readonly #name: string
  #now: Sourced | null = null
  #stamps = new FileStamps([])
  #lookedAt = -Infinity
  #loading: Promise<Sourced> | null = null

  constructor(load: LoadFunction, name: string) {
    this.#load = load
    this.#name = name
  }

  /** What is known and still good; null where `read` has to be awaited. */
  get current(): Sourced | null {
    if (this.#loading || !this.#now) return null
    const now = performance.now()
    if (now - this.#lookedAt < believedMs) return this.#now
    this.#lookedAt = now
    if (this.#stamps.hasChanged()) this.#now = null
    return this.#now
  }

  /** Loads it. Rejects with what is no FunctionError alone. */
  read(): Promise<Sourced> {
    this.#loading ??= this.#readNow().finally(() => {
      this.#loading = null
    })
    return this.#loading
  }

  async #readNow(): Promise<Sourced> {
    this.#lookedAt = performance.now()
    const sourced = await this.#load(this.#name).then(
      (loaded) => ({ loaded }),
      (error: unknown) => {
        if (error instanceof FunctionError) return { error }
        throw error
      },
    )
    const inputs = 'loaded' in sourced ? sourced.loaded.inputs : sourced.error.inputs
    this.#stamps = new FileStamps(inputs)
    // Without a file to look at, only another try tells.
    this.#now = inputs.length > 0 ? sourced : null
    return sourced
  }
}
