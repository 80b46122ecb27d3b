import { statSync } from 'node:fs'

/** A file as it was: changed where either differs, absent where there is none. */
function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat ? `${stat.mtimeMs} ${stat.size} ${stat.ino}` : ''
}

/** Files as they were when a function was loaded. */
export class InputStamps {
  readonly #stamps: Map<string, string>

  constructor(paths: string[]) {
    this.#stamps = new Map(paths.map((path) => [path, this.#safely(path)]))
  }

  hasChanged(): boolean {
    for (const [path, stamp] of this.#stamps) if (this.#safely(path) !== stamp) return true
    return false
  }

  /** A file that can't be looked at is as good as none. */
  #safely(path: string): string {
    try {
      return stampOf(path)
    } catch {
      return ''
    }
  }
}
