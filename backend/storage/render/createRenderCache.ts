import { existsSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createByteMemory, usualMemory } from '../bytes/createByteMemory.ts'
import { bytesInMemory, bytesOfFile } from '../bytes/OpenBytes.ts'
import type { OpenBytes } from '../bytes/OpenBytes.ts'
import type { Plan } from './planRendering.ts'

export interface KeptRendering extends OpenBytes {
  format: Plan['format']
}

/**
 * Pictures as they were rendered, in files: a folder for each version of an object, and in it a file for
 * each way it was asked for. A version's bytes never change, so nothing here ever grows old; with the
 * version everything of it goes.
 */
export interface RenderCache {
  /** Null where it has to be rendered. The caller closes it. */
  find(version: string, key: string): Promise<KeptRendering | null>
  /** A path that nobody has yet, in the same file system. */
  target(name: string): Promise<string>
  /** Takes what was written to a target. The least recently used go where the bound is passed. */
  keep(o: { version: string; key: string; format: Plan['format']; target: string }): Promise<void>
  forget(version: string): Promise<void>
  /** Removes what an earlier run left of versions that have gone, where nobody asked for a picture yet. */
  tidy(): Promise<void>
}

export interface RenderCacheOptions {
  dir: string
  /** Bytes of all files together. */
  bound: number
  /** Whether a version still is one of an object. */
  exists(version: string): Promise<boolean>
}

interface Entry {
  version: string
  file: string
  size: number
  usedAt: number
}

/** Versions looked at at once when the folder is read. */
const batch = 64

export function createRenderCache(o: RenderCacheOptions): RenderCache {
  const kept = join(o.dir, 'kept')
  const incoming = join(o.dir, 'incoming')
  /** By version and key, the least recently used first. */
  const entries = new Map<string, Entry>()
  const names = new Map<string, Set<string>>()
  const memory = createByteMemory(usualMemory)
  let total = 0
  let loading: Promise<void> | null = null

  const nameOf = (version: string, key: string): string => `${version}/${key}`
  const drop = (name: string): void => {
    const entry = entries.get(name)
    if (!entry) return
    total -= entry.size
    entries.delete(name)
    memory.forget(name)
    const siblings = names.get(entry.version)
    siblings?.delete(name)
    if (siblings?.size === 0) names.delete(entry.version)
  }
  const add = (name: string, entry: Entry): void => {
    drop(name)
    entries.set(name, entry)
    total += entry.size
    const siblings = names.get(entry.version)
    if (siblings) siblings.add(name)
    else names.set(entry.version, new Set([name]))
  }
  /** Puts it last in the order of use. */
  const use = (name: string, entry: Entry): void => {
    entries.delete(name)
    entries.set(name, entry)
  }
  const evict = async (): Promise<void> => {
    const gone: Entry[] = []
    for (const [name, entry] of entries) {
      if (total <= o.bound) break
      drop(name)
      gone.push(entry)
    }
    await Promise.all(gone.map((entry) => rm(join(kept, entry.version, entry.file), { force: true })))
  }

  const readVersion = async (version: string): Promise<Entry[]> => {
    const folder = join(kept, version)
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
  /** What an earlier run left. No start waits for it: the first picture that is asked for does. */
  const load = async (): Promise<void> => {
    await rm(incoming, { recursive: true, force: true })
    for (const folder of [incoming, kept]) await mkdir(folder, { recursive: true, mode: 0o700 })
    const versions = await readdir(kept)
    const found: Entry[] = []
    for (let at = 0; at < versions.length; at += batch) {
      found.push(...(await Promise.all(versions.slice(at, at + batch).map(readVersion))).flat())
    }
    found.sort((a, b) => a.usedAt - b.usedAt)
    for (const entry of found) {
      add(nameOf(entry.version, entry.file.slice(0, entry.file.lastIndexOf('.'))), entry)
    }
    await evict()
  }
  const ready = (): Promise<void> => {
    loading ??= load().catch((error: unknown) => {
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
      const remembered = memory.get(name)
      try {
        const bytes = remembered
          ? bytesInMemory(remembered)
          : bytesOfFile(await open(join(kept, version, entry.file), 'r'), entry.size, (whole) => {
              if (entries.get(name) === entry) memory.keep(name, whole)
            })
        if (entries.get(name) === entry) use(name, entry)
        return { ...bytes, format }
      } catch {
        // Somebody tidied up by hand: it is rendered again.
        if (entries.get(name) === entry) drop(name)
        return null
      }
    },

    async target(name) {
      await ready()
      return join(incoming, name)
    },

    async keep({ version, key, format, target }) {
      const file = `${key}.${format}`
      const { size } = await stat(target)
      await mkdir(join(kept, version), { recursive: true, mode: 0o700 })
      await rename(target, join(kept, version, file))
      add(nameOf(version, key), { version, file, size, usedAt: 0 })
      // The object may have gone while it was rendered; `forget` comes after its bytes have gone, so that one
      // of the two sees the other.
      if (!(await o.exists(version))) await this.forget(version)
      await evict()
    },

    async forget(version) {
      await loading?.catch(() => {})
      for (const name of names.get(version) ?? []) drop(name)
      await rm(join(kept, version), { recursive: true, force: true })
    },

    async tidy() {
      // Where nothing was ever rendered no folders are made.
      if (existsSync(kept)) await ready()
    },
  }
}
