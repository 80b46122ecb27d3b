import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { requireReachable, type OsUser } from './osUser.ts'

/** Only root can write here, so files in it can be trusted. */
const cacheFolder = '/var/cache'

/**
 * Returns binaries that `user` can run. A checkout in a folder that only root can enter (root's home, a new temporary
 * folder) is not accessible to the user that PostgreSQL runs as; the package is then copied to the system's cache, once
 * for each version. Throws StartError, naming the inaccessible folder, where that fails too.
 */
export function makeBinariesReachable(binaries: Binaries, user: OsUser): Binaries {
  try {
    requireReachable(binaries.postgres, user)
    return binaries
  } catch (error) {
    if (!existsSync(cacheFolder)) throw error
    try {
      return copyBinaries(binaries)
    } catch {
      throw error
    }
  }
}

function copyBinaries(binaries: Binaries): Binaries {
  const { version } = JSON.parse(readFileSync(join(binaries.root, '..', 'package.json'), 'utf8')) as {
    version: string
  }
  const root = join(cacheFolder, 'linnet', `postgresql-${version}-${process.platform}-${process.arch}`)
  if (!existsSync(root)) {
    // Copied and then renamed: another start may do the same, and an incomplete copy must never be run.
    const partial = `${root}.${process.pid}`
    mkdirSync(join(cacheFolder, 'linnet'), { recursive: true, mode: 0o755 })
    cpSync(binaries.root, partial, { recursive: true, verbatimSymlinks: true })
    try {
      renameSync(partial, root)
    } catch (error) {
      rmSync(partial, { recursive: true, force: true })
      if (!existsSync(root)) throw error
    }
  }
  return { ...binaries, root, initdb: join(root, 'bin', 'initdb'), postgres: join(root, 'bin', 'postgres') }
}
