import { statfs } from 'node:fs/promises'
import { BackupError } from '../BackupError.ts'

/** The free space is checked again after this many written bytes. */
const checkIntervalBytes = 64 * 1024 * 1024

const inWords = (bytes: number): string =>
  bytes >= 1024 ** 3 ? `${(bytes / 1024 ** 3).toFixed(1)} GiB` : `${Math.ceil(bytes / 1024 ** 2)} MiB`

/** Checks that the disk of the repository keeps its reserve. */
export interface FreeSpace {
  /** Throws BackupError where `bytes` would use the reserve. */
  require(bytes: number): Promise<void>
  /** Counts bytes that are about to be written, and checks the free space at intervals. */
  countWritten(bytes: number): Promise<void>
}

/**
 * @param reserveBytes space that backups leave free. PostgreSQL may write to the same disk and stops without space.
 */
export function createFreeSpace(dir: string, reserveBytes: number): FreeSpace {
  let unchecked = 0
  const requireSpace = async (bytes: number): Promise<void> => {
    const { bavail, bsize } = await statfs(dir)
    const free = bavail * bsize
    if (free - reserveBytes >= bytes) return
    throw new BackupError(
      `There is too little space for a backup in ${dir}: it needs about ${inWords(bytes)}, ${inWords(free)} are free, ` +
        `and ${inWords(reserveBytes)} stay reserved. Free some space, or choose another folder with --to.`,
    )
  }
  return {
    require: requireSpace,
    async countWritten(bytes) {
      unchecked += bytes
      if (unchecked < checkIntervalBytes) return
      unchecked = 0
      await requireSpace(bytes)
    },
  }
}
