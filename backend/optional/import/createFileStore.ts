import type { ArchiveFile } from '../archive/ArchiveRow.ts'
import type { ProjectServices } from '../archive/ImportRequest.ts'

/** Stores files while the import goes on. */
export interface FileStore {
  /** Waits until the file can be stored, and not until it is. Throws the error of a file before it. */
  add(file: ArchiveFile): Promise<void>
  /** Waits until all files are stored. Returns the number of files that were not there before. Throws the error of a file. */
  finish(): Promise<number>
}

/** The storage service waits for the disk at the end of each file. More files at once would slow down other people's requests. */
const maxFiles = 4

export function createFileStore({ storeObject }: Pick<ProjectServices, 'storeObject'>): FileStore {
  const running = new Set<Promise<void>>()
  let failure: { error: unknown } | null = null
  let stored = 0
  const store = async (file: ArchiveFile): Promise<void> => {
    try {
      if (await storeObject(file)) stored++
    } catch (error) {
      failure ??= { error }
    }
  }
  const requireSuccess = (): void => {
    if (failure !== null) throw failure.error
  }
  return {
    async add(file) {
      while (running.size >= maxFiles) await Promise.race(running)
      requireSuccess()
      const work = store(file)
      running.add(work)
      void work.then(() => running.delete(work))
    },
    async finish() {
      await Promise.all(running)
      requireSuccess()
      return stored
    },
  }
}
