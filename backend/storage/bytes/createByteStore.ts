import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, link, mkdir, open, readdir, rename, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errors } from '../errors.ts'
import { createBatchWriter } from './createBatchWriter.ts'
import { createByteCache, defaultCacheLimits } from './createByteCache.ts'
import { createMd5 } from './createMd5.ts'
import { bytesInMemory, bytesOfFile } from './OpenBytes.ts'
import type { OpenBytes } from './OpenBytes.ts'
import { syncFolder } from '../../runtime/durableFiles.ts'

/** Bytes in a temporary file that is synced and not yet published. */
export interface Received {
  version: string
  size: number
  /** The MD5 of the bytes in quotes, as S3 has it for a single-part upload. */
  etag: string
}

/**
 * The bytes of objects. Each version is a file of its own that is written once and never changed, so that a reader
 * during an overwrite gets one complete file. Paths are built from versions, which the server generates. They never
 * contain names, which callers choose.
 *
 * The order of an upload is `receive` (temporary file, fsync), `publish` (journal, rename, fsync of the folder), the
 * row, `settle`. The order of a removal is `mark`, the row, `discard`. After a crash the journal names the versions
 * in between, and the rows decide which of them are needed.
 */
export interface ByteStore {
  /** Returns the free bytes of the file system, and the reserve among them. */
  diskSpace(): Promise<DiskSpace>
  /**
   * Throws InsufficientStorage if an announced file exceeds the free space minus the reserve. So a client need not
   * send gigabytes before the error.
   * @param size in bytes
   */
  requireSpace(size: number): Promise<void>
  /**
   * Counts `size` bytes that are about to be written. It checks the free space after every 16 MiB of all uploads
   * together. It throws InsufficientStorage if the reserve would be used, and then for each chunk until there is
   * space.
   */
  countWritten(size: number): Promise<void>
  /** Writes a temporary file. Throws EntityTooLarge after `limit` bytes. It leaves nothing behind when it throws. */
  receive(content: AsyncIterable<Buffer>, limit: number): Promise<Received>
  /** Creates a temporary file with the bytes of another version; null if that version has none. */
  duplicate(version: string): Promise<string | null>
  /**
   * Moves received bytes to their final path. A file `from` elsewhere in the same file system is linked instead, so
   * that it stays there until its row is committed. It must not be changed afterwards.
   */
  publish(version: string, from?: string): Promise<void>
  settle(version: string): Promise<void>
  mark(versions: readonly string[]): Promise<void>
  discard(version: string): Promise<void>
  /**
   * Opens the file of a version; null if it does not exist. The caller closes it. Small files are cached in memory.
   */
  open(version: string): Promise<OpenBytes | null>
  /** Returns the path of a version, for a child process that only reads; null for an invalid version. */
  locate(version: string): string | null
  /** Returns the versions in the journal, which a crash may have left. */
  unsettled(): Promise<string[]>
}

export interface DiskSpace {
  freeBytes: number
  reserveBytes: number
}

/**
 * The number of bytes of all uploads together between two checks of the free space. Many small uploads at once, or
 * one of unknown length, would otherwise use the reserve.
 */
const spaceCheckInterval = 16 * 1024 * 1024

/** Matches a version, which is a UUID in lower case. */
export const isVersion = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

/**
 * Opens the store in `dir`, creates its folders and removes temporary files of an earlier run.
 * @param reserveBytes disk space that uploads leave free, because PostgreSQL writes there too and stops without space
 */
export async function createByteStore(dir: string, reserveBytes = 0): Promise<ByteStore> {
  const incoming = join(dir, 'incoming')
  const journal = join(dir, 'journal')
  const objects = join(dir, 'objects')
  // Exists while a backup needs the files of deleted objects. The backup creates and removes it (backend/backup).
  const removed = join(dir, 'removed')
  await rm(incoming, { recursive: true, force: true })
  for (const folder of [incoming, journal, objects]) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  }

  const cache = createByteCache(defaultCacheLimits)
  const shards = new Map<string, Promise<void>>()
  const createShard = async (shard: string): Promise<void> => {
    const made = await mkdir(join(objects, shard), { recursive: true, mode: 0o700 })
    if (made) await syncFolder(objects)
  }
  const shardOf = async (version: string): Promise<string> => {
    const shard = version.slice(0, 2)
    let ready = shards.get(shard)
    if (!ready) {
      ready = createShard(shard)
      shards.set(shard, ready)
      ready.catch(() => shards.delete(shard))
    }
    await ready
    return join(objects, shard)
  }
  const pathOf = (version: string): string | null =>
    isVersion.test(version) ? join(objects, version.slice(0, 2), version) : null

  const diskSpace = async (): Promise<DiskSpace> => {
    const { bavail, bsize } = await statfs(dir)
    return { freeBytes: bavail * bsize, reserveBytes }
  }
  const requireSpace = async (size: number): Promise<void> => {
    // Without an answer of the system, the write itself shows whether there is space.
    const space = await diskSpace().catch(() => null)
    if (space && space.freeBytes - reserveBytes < size) throw errors.diskFull()
  }
  let unchecked = 0
  const countWritten = async (size: number): Promise<void> => {
    unchecked += size
    if (unchecked < spaceCheckInterval) return
    await requireSpace(size)
    unchecked = 0
  }

  return {
    diskSpace,
    requireSpace,
    countWritten,

    async receive(content, limit) {
      const version = randomUUID()
      const path = join(incoming, version)
      const file = await open(path, 'wx', 0o600)
      const writer = createBatchWriter(file, 0)
      const sum = createMd5()
      try {
        let size = 0
        for await (const chunk of content) {
          size += chunk.length
          if (size > limit) throw errors.entityTooLarge()
          await countWritten(chunk.length)
          await Promise.all([sum.update(chunk), writer.add(chunk)])
        }
        await writer.finish()
        const [hex] = await Promise.all([sum.digest(), file.sync()])
        await file.close()
        return { version, size, etag: `"${hex}"` }
      } catch (error) {
        sum.abandon()
        await writer.abandon()
        await file.close().catch(() => {})
        await rm(path, { force: true })
        throw error
      }
    },

    async duplicate(source) {
      const from = pathOf(source)
      if (!from) return null
      const version = randomUUID()
      const path = join(incoming, version)
      try {
        await copyFile(from, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
        const file = await open(path, 'r+')
        try {
          await file.sync()
        } finally {
          await file.close()
        }
        return version
      } catch (error) {
        await rm(path, { force: true })
        if (isMissing(error)) return null
        throw error
      }
    },

    async publish(version, from) {
      const shard = await shardOf(version)
      await writeFile(join(journal, version), '')
      if (from === undefined) await rename(join(incoming, version), join(shard, version))
      else await link(from, join(shard, version))
      await syncFolder(shard)
    },

    settle: (version) => rm(join(journal, version), { force: true }),

    async mark(versions) {
      await Promise.all(
        versions.filter((one) => isVersion.test(one)).map((one) => writeFile(join(journal, one), '')),
      )
    },

    async discard(version) {
      const path = pathOf(version)
      if (!path) return
      cache.delete(version)
      await rm(join(incoming, version), { force: true })
      try {
        await rename(path, join(removed, version))
      } catch (error) {
        if (!isMissing(error)) throw error
        await rm(path, { force: true })
      }
      await rm(join(journal, version), { force: true })
    },

    async open(version) {
      const path = pathOf(version)
      if (!path) return null
      const cached = cache.get(version)
      if (cached) return bytesInMemory(cached)
      try {
        const handle = await open(path, 'r')
        try {
          const { size } = await handle.stat()
          return bytesOfFile(handle, size, (whole) => cache.set(version, whole))
        } catch (error) {
          await handle.close()
          throw error
        }
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },

    locate: pathOf,

    unsettled: async () => (await readdir(journal)).filter((name) => isVersion.test(name)),
  }
}
