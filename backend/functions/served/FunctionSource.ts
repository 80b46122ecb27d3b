import { FunctionError, type LoadedFunction, type LoadFunction } from '../functionTypes.ts'
import { FileStamps } from '../../runtime/FileStamps.ts'

/** Milliseconds between two checks of the files. */
const checkIntervalMs = 1_000

/** The last loaded version of a function, or the error. */
export type LoadResult = { loaded: LoadedFunction } | { error: FunctionError }

/**
 * A function on disk. It is loaded at the first request, and again after one of its files has changed. Requests check
 * this at most once a second.
 */
export class FunctionSource {
  readonly #load: LoadFunction
  readonly #name: string
  #current: LoadResult | null = null
  #stamps = new FileStamps([])
  #checkedAt = -Infinity
  #loading: Promise<LoadResult> | null = null

  constructor(load: LoadFunction, name: string) {
    this.#load = load
    this.#name = name
  }

  /** The current version if it is valid; null if `read` must be awaited. */
  get current(): LoadResult | null {
    if (this.#loading || !this.#current) return null
    const now = performance.now()
    if (now - this.#checkedAt < checkIntervalMs) return this.#current
    this.#checkedAt = now
    if (this.#stamps.hasChanged()) this.#current = null
    return this.#current
  }

  /** Loads it. Rejects only with errors other than FunctionError. */
  read(): Promise<LoadResult> {
    this.#loading ??= this.#readNow().finally(() => {
      this.#loading = null
    })
    return this.#loading
  }

  async #readNow(): Promise<LoadResult> {
    this.#checkedAt = performance.now()
    const result = await this.#load(this.#name).then(
      (loaded) => ({ loaded }),
      (error: unknown) => {
        if (error instanceof FunctionError) return { error }
        throw error
      },
    )
    const inputs = 'loaded' in result ? result.loaded.inputs : result.error.inputs
    this.#stamps = new FileStamps(inputs)
    // Without files to check, it is loaded again by the next request.
    this.#current = inputs.length > 0 ? result : null
    return result
  }
}
