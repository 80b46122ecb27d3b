import { existsSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createByteCache, defaultCacheLimits } from '../../storage/bytes/createByteCache.ts'
import { bytesInMemory, bytesOfFile } from '../../storage/bytes/OpenBytes.ts'
import type { OpenBytes } from '../../storage/bytes/OpenBytes.ts'
import type { Plan } from './planRendering.ts'

export interface CachedRendering extends OpenBytes {
  format: Plan['format']
}

/**
 * Thumbnails in files: a folder for each version of an object, and in it a file for each transformation. The content of
 * a version never changes, so no entry is ever stale; deleting a version removes its folder.
 */
export interface RenderCache {
  /** Null where it has to be rendered. The caller closes it. */
  find(version: string, key: string): Promise<CachedRendering | null>
  /** A new path in the same file system. */
  createTarget(name: string): Promise<string>
  /** Adds a file that was written to a target. Evicts the least recently used entries above the maximum size. */
  add(o: { version: string; key: string; format: Plan['format']; createTarget: string }): Promise<void>
  remove(version: string): Promise<void>
  /** Reads the cache of an earlier run, and removes entries of deleted versions. */
  load(): Promise<void>
}

export interface RenderCacheOptions {
  dir: string
  /** Bytes of all files. */
  maxTotalBytes: number
  /** Whether a version still belongs to an object. */
  exists(version: string): Promise<boolean>
}

interface Entry {
  version: string
  file: string
  size: number
  usedAt: number
}

/** Versions checked concurrently when the folder is read. */
const batch = 64

export function createRenderCache(o: RenderCacheOptions): RenderCache {
  const cachedDir = join(o.dir, 'kept')
  const incomingDir = join(o.dir, 'incoming')
  /** By version and key, the least recently used first. */
  const entries = new Map<string, Entry>()
  const names = new Map<string, Set<string>>()
  const byteCache = createByteCache(defaultCacheLimits)
  let total = 0
  let loading: Promise<void> | null = null

  const nameOf = (version: string, key: string): string => `${version}/${key}`
  const removeEntry = (name: string): void => {
    const entry = entries.get(name)
    if (!entry) return
    total -= entry.size
    entries.delete(name)
    byteCache.delete(name)
    const siblings = names.get(entry.version)
    siblings?.delete(name)
    if (siblings?.size === 0) names.delete(entry.version)
  }
  const addEntry = (name: string, entry: Entry): void => {
    removeEntry(name)
    entries.set(name, entry)
    total += entry.size
    const siblings = names.get(entry.version)
    if (siblings) siblings.add(name)
    else names.set(entry.version, new Set([name]))
  }
  /** Marks an entry as most recently used. */
  const touch = (name: string, entry: Entry): void => {
    entries.delete(name)
    entries.set(name, entry)
  }
  const evict = async (): Promise<void> => {
    const evicted: Entry[] = []
    for (const [name, entry] of entries) {
      if (total <= o.maxTotalBytes) break
      removeEntry(name)
      evicted.push(entry)
    }
    await Promise.all(evicted.map((entry) => rm(join(cachedDir, entry.version, entry.file), { force: true })))
  }

  const readVersion = async (version: string): Promise<Entry[]> => {
    const folder = join(cachedDir, version)
    if (!(await o.exists(version))) {
      await rm(folder, { recursive: true, force: true })
      return []
    }
    const found = await Promise.all(
      (await readdir(folder)).map(async (file) => {
        const about = await stat(join(folder, file)).catch(() => null)
        return about && { version, file, size: about.size, usedAt: Math.max(about.atimeMs, about.mtimeMs) }
      }),
    )
    return found.filter((entry) => entry !== null)
  }
  /** Reads the entries of an earlier run. Awaited by the first request for a thumbnail, not by the start. */
  const readCache = async (): Promise<void> => {
    await rm(incomingDir, { recursive: true, force: true })
    for (const folder of [incomingDir, cachedDir]) await mkdir(folder, { recursive: true, mode: 0o700 })
    const versions = await readdir(cachedDir)
    const found: Entry[] = []
    for (let at = 0; at < versions.length; at += batch) {
      found.push(...(await Promise.all(versions.slice(at, at + batch).map(readVersion))).flat())
    }
    found.sort((a, b) => a.usedAt - b.usedAt)
    for (const entry of found) {
      addEntry(nameOf(entry.version, entry.file.slice(0, entry.file.lastIndexOf('.'))), entry)
    }
    await evict()
  }
  const ready = (): Promise<void> => {
    loading ??= readCache().catch((error: unknown) => {
      loading = null
      throw error
    })
    return loading
  }

  return {
    async find(version, key) {
      await ready()
      const name = nameOf(version, key)
      const entry = entries.get(name)
      if (!entry) return null
      const format = entry.file.slice(entry.file.lastIndexOf('.') + 1) as Plan['format']
      const inMemory = byteCache.get(name)
      try {
        const bytes = inMemory
          ? bytesInMemory(inMemory)
          : bytesOfFile(await open(join(cachedDir, version, entry.file), 'r'), entry.size, (whole) => {
              if (entries.get(name) === entry) byteCache.set(name, whole)
            })
        if (entries.get(name) === entry) touch(name, entry)
        return { ...bytes, format }
      } catch {
        // The file was deleted by hand: it is rendered again.
        if (entries.get(name) === entry) removeEntry(name)
        return null
      }
    },

    async createTarget(name) {
      await ready()
      return join(incomingDir, name)
    },

    async add({ version, key, format, createTarget }) {
      const file = `${key}.${format}`
      const { size } = await stat(createTarget)
      await mkdir(join(cachedDir, version), { recursive: true, mode: 0o700 })
      await rename(createTarget, join(cachedDir, version, file))
      addEntry(nameOf(version, key), { version, file, size, usedAt: 0 })
      // The object may have been deleted meanwhile; `remove` is called after its file is deleted, so that one of
      // the two notices the other.
      if (!(await o.exists(version))) await this.remove(version)
      await evict()
    },

    async remove(version) {
      await loading?.catch(() => {})
      for (const name of names.get(version) ?? []) removeEntry(name)
      await rm(join(cachedDir, version), { recursive: true, force: true })
    },

    async load() {
      // Where nothing was ever rendered no folders are created.
      if (existsSync(cachedDir)) await ready()
    },
  }
}
