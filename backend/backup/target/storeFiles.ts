import { existsSync } from 'node:fs'
import { mkdir, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createFolder, syncFolder } from '../../runtime/durableFiles.ts'
import { readBlocks } from '../../runtime/fileBlocks.ts'
import { paths, renderStoredFile } from '../repository/layout.ts'
import type { Repository } from '../repository/openRepository.ts'
import { readShard } from '../repository/readStored.ts'
import { writeStored, type WriteOptions } from '../repository/writeStored.ts'
import { candidatePaths, listObjects, listRemoved, shards } from '../source/retainedFiles.ts'

/** Files that are written at the same time, so that one is encrypted while others are synced. */
const concurrency = 8

export type StoreOptions = Pick<WriteOptions, 'onWrite' | 'signal' | 'folder'> & {
  /** Called with the bytes of storage that have been read. */
  onRead?: (bytes: number) => void
}

/** The bytes of a version, also if its object is deleted meanwhile; null where there are none. */
async function openVersion(
  storageDir: string,
  version: string,
): Promise<Awaited<ReturnType<typeof open>> | null> {
  for (const path of candidatePaths(storageDir, version)) {
    try {
      return await open(path, 'r')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return null
}

/** Stores one file, whose folder in the repository exists. Returns false where it has no bytes any more. */
export async function storeFile(
  repository: Repository,
  storageDir: string,
  version: string,
  { onRead, ...o }: StoreOptions,
): Promise<boolean> {
  const handle = await openVersion(storageDir, version)
  if (handle === null) return false
  async function* read(): AsyncGenerator<Buffer> {
    for await (const bytes of readBlocks(handle!)) {
      onRead?.(bytes.length)
      yield bytes
    }
  }
  try {
    const incoming = await writeStored(repository, read(), { ...o, compress: false })
    const name = renderStoredFile({ version, sha256: incoming.sha256 })
    await incoming.publish(join(paths.shard(repository.dir, version.slice(0, 2)), name))
    return true
  } finally {
    await handle.close()
  }
}

/**
 * Stores the files that the repository lacks, and syncs their folders. An upload in progress is in another folder of
 * storage and is not stored. The folder of the folders is not synced.
 */
export async function storeMissingFiles(
  repository: Repository,
  storageDir: string,
  o: StoreOptions,
): Promise<{ stored: number }> {
  let stored = 0
  const touched = new Set<string>()
  async function* missing(): AsyncGenerator<string> {
    for (const shard of shards) {
      const versions = await listShard(storageDir, shard)
      if (versions.length === 0) continue
      const present = await readShard(repository.dir, shard)
      const folder = paths.shard(repository.dir, shard)
      for (const version of versions) {
        if (present.has(version)) continue
        // Without its parents: those of a repository that has disappeared are not created again.
        if (!touched.has(folder) && !existsSync(folder)) await mkdir(folder, { mode: 0o700 })
        touched.add(folder)
        yield version
      }
    }
  }
  // Requests of several workers to a generator are answered one after the other.
  const versions = missing()
  await runWorkers(async () => {
    for await (const version of versions) {
      o.signal?.throwIfAborted()
      if (await storeFile(repository, storageDir, version, o)) stored++
    }
  })
  const folders = touched.values()
  await runWorkers(async () => {
    for (const folder of folders) await syncFolder(folder)
  })
  return { stored }
}

/** Waits for all workers, then rejects with the first error: nothing is written after an error was reported. */
async function runWorkers(work: () => Promise<void>): Promise<void> {
  const results = await Promise.allSettled(Array.from({ length: concurrency }, work))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}

/**
 * The versions of a shard, also of deleted objects, sorted. The folder of deleted files is read last: a file only moves
 * into it, so none is missed.
 */
async function listShard(storageDir: string, shard: string): Promise<string[]> {
  const objects = await listObjects(storageDir, shard)
  const removed = await listRemoved(storageDir)
  return [...new Set([...objects, ...removed.filter((version) => version.startsWith(shard))])].sort()
}

/** The versions of all files in storage that the repository has, sorted, one a line. */
export async function* listVersions(
  repository: Repository,
  storageDir: string,
  onVersion: () => void,
): AsyncGenerator<Buffer> {
  for (const shard of shards) {
    const present = await readShard(repository.dir, shard)
    // An upload after the last pass is in a later backup.
    const versions = (await listShard(storageDir, shard)).filter((version) => present.has(version))
    for (const _ of versions) onVersion()
    if (versions.length > 0) yield Buffer.from(`${versions.join('\n')}\n`)
  }
}

/** The bytes of all files that the repository lacks. */
export async function missingBytes(repository: Repository, storageDir: string): Promise<number> {
  let bytes = 0
  for (const shard of shards) {
    const versions = await listObjects(storageDir, shard)
    const present = versions.length > 0 ? await readShard(repository.dir, shard) : new Map()
    for (const version of versions) {
      if (present.has(version)) continue
      const [path] = candidatePaths(storageDir, version)
      bytes += (await stat(path!).catch(() => null))?.size ?? 0
    }
  }
  return bytes
}

/**
 * Stores the files that were published at or after a time, if the repository lacks them. They were uploaded while the archive was
 * interrupted. The next backup stores older files.
 * @param since milliseconds since 1970
 */
export async function storeFilesSince(
  repository: Repository,
  storageDir: string,
  since: number,
  o: StoreOptions,
): Promise<void> {
  for (const shard of shards) {
    const versions = await listObjects(storageDir, shard)
    const present = versions.length > 0 ? await readShard(repository.dir, shard) : new Map<string, string>()
    for (const version of versions) {
      if (present.has(version)) continue
      const [path] = candidatePaths(storageDir, version)
      const found = await stat(path!).catch(() => null)
      // Not the time of the bytes: a rename or a link publishes them later.
      if (found && found.ctimeMs >= since) await storeWithFolder(repository, storageDir, version, o)
    }
  }
}

/** Stores one file, and creates its folder in the repository where it is missing. */
export async function storeWithFolder(
  repository: Repository,
  storageDir: string,
  version: string,
  o: StoreOptions,
): Promise<void> {
  const folder = paths.shard(repository.dir, version.slice(0, 2))
  await createFolder(folder)
  if (await storeFile(repository, storageDir, version, o)) await syncFolder(folder)
}
