import { statfs } from 'node:fs/promises'
import { createLocalFinding, type LocalFinding } from './LocalFinding.ts'

/** The space of a file system, in bytes. */
export interface DiskFacts {
  freeBytes: number
  totalBytes: number
}

const gibibyte = 1024 ** 3

/** Judges the free space of the disk of the data: less than 1 GiB, or 5 % of a small disk, is a problem. */
export function judgeDisk(folder: string, disk: DiskFacts | null): LocalFinding[] {
  if (disk === null) return [createLocalFinding('disk.unknown', {})]
  const values = { free_bytes: disk.freeBytes, total_bytes: disk.totalBytes }
  if (disk.freeBytes >= Math.min(gibibyte, disk.totalBytes / 20))
    return [createLocalFinding('disk.enough', values)]
  return [createLocalFinding('disk.low', values, { details: [`The data are in ${folder}.`] })]
}

/** The space of the file system that contains a folder, or will contain it; null if the system does not report it. */
export async function readDisk(folder: string): Promise<DiskFacts | null> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder)
    return blocks > 0 ? { freeBytes: bavail * bsize, totalBytes: blocks * bsize } : null
  } catch {
    return null
  }
}
