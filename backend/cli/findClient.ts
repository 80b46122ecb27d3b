import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import { StartError } from '../postgres/server/StartError.ts'

/** Programs that PostgreSQL's client packages install. The embedded PostgreSQL has none of them. */
export type ClientProgram = 'psql' | 'pg_dump'

interface Client {
  path: string
  major: number
}

/** Folders of installed versions that are usually not in PATH; each `*` is any folder. */
const versionFolders = [
  // Debian and Ubuntu; PostgreSQL's RPM packages; Homebrew; Postgres.app.
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/opt/homebrew/opt/*/bin',
  '/usr/local/opt/*/bin',
  '/Applications/Postgres.app/Contents/Versions/*/bin',
]

/** Names of the folders that can contain clients, among all packages of Homebrew. */
const packageName = /^(\d|pgsql-|postgresql|libpq)/

function expandFolder(pattern: string): string[] {
  const [parent = '', rest = ''] = pattern.split(/[^/]*\*/)
  if (!existsSync(parent)) return []
  return readdirSync(parent)
    .filter((name) => packageName.test(name))
    .map((name) => `${join(parent, name)}${rest}`)
}

function readMajor(path: string): number | null {
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 10_000 })
  const major = /\(PostgreSQL\) (\d+)/.exec(stdout ?? '')?.[1]
  return major === undefined ? null : Number(major)
}

function listClients(program: ClientProgram, folders: string[]): Client[] {
  const seen = new Set<string>()
  return folders.flatMap((folder) => {
    const path = join(folder, program)
    if (!existsSync(path)) return []
    const real = realpathSync(path)
    // Several folders link to the same program. Debian's pg_wrapper chooses one of those in the other folders itself.
    if (seen.has(real) || basename(real) === 'pg_wrapper') return []
    seen.add(real)
    const major = readMajor(path)
    return major === null ? [] : [{ path, major }]
  })
}

/**
 * How to install the clients of a version of PostgreSQL. Debian, Ubuntu and the relatives of Red Hat often include an older
 * version, so these use the repository of the PostgreSQL project.
 * @param osRelease the content of /etc/os-release
 */
export function renderInstallation(major: number, platform: NodeJS.Platform, osRelease: string): string {
  if (platform === 'darwin') return 'brew install libpq'
  const values = ['ID', 'ID_LIKE'].map((key) =>
    new RegExp(`^${key}=(.*)$`, 'm').exec(osRelease)?.[1]?.replaceAll(/["']/g, ''),
  )
  const names = values.join(' ').split(' ')
  const isLike = (...known: string[]): boolean => known.some((name) => names.includes(name))
  if (isLike('debian', 'ubuntu'))
    return [
      'sudo apt-get install -y postgresql-common',
      'sudo /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y',
      `sudo apt-get install -y postgresql-client-${major}`,
    ].join('\n')
  if (isLike('alpine')) return `sudo apk add postgresql${major}-client`
  if (isLike('arch')) return 'sudo pacman -S postgresql-libs'
  if (isLike('suse', 'opensuse')) return `sudo zypper install postgresql${major}`
  return isLike('fedora', 'rhel')
    ? `Add the repository as https://www.postgresql.org/download/linux/redhat/ describes, then:\nsudo dnf install -y postgresql${major}`
    : `https://www.postgresql.org/download/ describes the installation of PostgreSQL ${major}.`
}

function readOsRelease(): string {
  try {
    return readFileSync('/etc/os-release', 'utf8')
  } catch {
    return ''
  }
}

/**
 * Finds an installed client for a server, in PATH and in the usual folders. `pg_dump` refuses a newer server, so it needs the
 * major version of the server or a later one, and the nearest is chosen. `psql` works with newer servers too. Throws
 * StartError with the commands that install it.
 * @param o.folders for tests
 */
export function findClient(
  program: ClientProgram,
  major: number,
  o: { folders?: string[]; platform?: NodeJS.Platform; osRelease?: string } = {},
): string {
  const folders = o.folders ?? [
    ...(process.env['PATH'] ?? '').split(delimiter).filter(Boolean),
    ...versionFolders.flatMap(expandFolder),
  ]
  const clients = listClients(program, folders).sort((a, b) => a.major - b.major)
  const chosen =
    clients.find((client) => client.major >= major) ?? (program === 'psql' ? clients.at(-1) : undefined)
  if (chosen !== undefined) return chosen.path
  const newest = clients.at(-1)
  const problem =
    newest === undefined
      ? `${program} is not installed.`
      : `${program} ${newest.major} is installed, but the database is PostgreSQL ${major}, and ${program} refuses newer databases.`
  const installation = renderInstallation(
    major,
    o.platform ?? process.platform,
    o.osRelease ?? readOsRelease(),
  )
  throw new StartError(`${problem} Install ${program} ${major}:\n${installation.replaceAll(/^/gm, '  ')}`)
}
