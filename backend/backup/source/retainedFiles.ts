import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * While this folder exists, the storage service moves the files of deleted objects into it. A backup can then store the
 * file of each object that the copied database has, although the object is deleted while the backup runs.
 */
export const removedFolder = (storageDir: string): string => join(storageDir, 'removed')

/** Exists while the server archives the log continuously: the folder stays after a backup. */
const continuousMark = (storageDir: string): string => join(removedFolder(storageDir), 'continuous')

const isVersion = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The versions of deleted files that are retained, sorted. */
export async function listRemoved(storageDir: string): Promise<string[]> {
  const names = await readdir(removedFolder(storageDir)).catch(() => [])
  return names.filter((name) => isVersion.test(name)).sort()
}

/** Retains deleted files for one backup. The returned function ends that, and removes the retained files. */
export async function retainRemoved(storageDir: string): Promise<() => Promise<void>> {
  await mkdir(removedFolder(storageDir), { recursive: true, mode: 0o700 })
  return () => releaseRemoved(storageDir)
}

/** Removes the retained files, unless the server archives continuously and removes them itself. */
export async function releaseRemoved(storageDir: string): Promise<void> {
  if (existsSync(continuousMark(storageDir))) return
  const aside = `${removedFolder(storageDir)}.ended`
  await rm(aside, { recursive: true, force: true })
  // Renamed first: the storage service may move further files into it meanwhile.
  await rename(removedFolder(storageDir), aside).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  await rm(aside, { recursive: true, force: true })
}

/** Retains deleted files until `endContinuous`, also across restarts. */
export async function retainContinuously(storageDir: string): Promise<void> {
  await mkdir(removedFolder(storageDir), { recursive: true, mode: 0o700 })
  await writeFile(continuousMark(storageDir), '')
}

/** Ends `retainContinuously`. */
export async function endContinuous(storageDir: string): Promise<void> {
  await rm(continuousMark(storageDir), { force: true })
}

/** Removes one retained file, which the repository has. */
export async function removeRetained(storageDir: string, version: string): Promise<void> {
  await rm(join(removedFolder(storageDir), version), { force: true })
}

/** The versions of the files in one of the 256 folders of storage, sorted. */
export async function listObjects(storageDir: string, shard: string): Promise<string[]> {
  const names = await readdir(join(storageDir, 'objects', shard)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names.filter((name) => isVersion.test(name)).sort()
}

/** Where the bytes of a version can be, in the order in which they are looked for. */
export function candidatePaths(storageDir: string, version: string): string[] {
  return [join(storageDir, 'objects', version.slice(0, 2), version), join(removedFolder(storageDir), version)]
}

/** The names of the 256 folders, sorted. */
export const shards: readonly string[] = Array.from({ length: 256 }, (_, index) =>
  index.toString(16).padStart(2, '0'),
)
