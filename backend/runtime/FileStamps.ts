import { statSync } from 'node:fs'

/**
 * Inode, size and modification time of a file: another file, or another content, has another stamp. Links are
 * followed. Empty where there is no file, and where it can't be looked at (a permission, a loop of links, a network
 * file system that is away): timers compare stamps, and an exception in a timer ends the server.
 */
function stampOf(path: string): string {
  try {
    const stat = statSync(path)
    return `${stat.mtimeMs} ${stat.size} ${stat.ino}`
  } catch {
    return ''
  }
}

/** Files as they were when this was created. Never throws. */
export class FileStamps {
  readonly #stamps: Map<string, string>

  constructor(paths: string[]) {
    this.#stamps = new Map(paths.map((path) => [path, stampOf(path)]))
  }

  hasChanged(): boolean {
    for (const [path, stamp] of this.#stamps) if (stampOf(path) !== stamp) return true
    return false
  }
}
