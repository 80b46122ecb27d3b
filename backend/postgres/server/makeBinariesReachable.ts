import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { requireReachable, type OsUser } from './osUser.ts'

/** Only root writes here, so what lies here can be run without asking who put it there. */
const cacheFolder = '/var/cache'

/**
 * The binaries where `user` can run them. A checkout in a folder that is root's alone (root's home, a fresh
 * temporary folder) is closed to the user that PostgreSQL runs as; the package is then copied, once a version,
 * to the system's cache. Throws StartError, naming the folder in the way, where that can't be done either.
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
    // Copied beside and renamed: another start may be at it too, and a half copy must never be run.
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
