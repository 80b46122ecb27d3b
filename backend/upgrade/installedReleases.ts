import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join, relative, sep } from 'node:path'
import { isAlive } from '../postgres/server/processIdentity.ts'
import { readJson, replaceFileSync } from '../runtime/durableFiles.ts'

/** A program: the root of a checkout, or of an installed package. */
interface Program {
  /** Absolute, without symbolic links. */
  root: string
  version: string
  /** Of its files: see `hashProgram`. */
  hash: string
}

/** Which release the next start on a data folder runs. */
interface Selection {
  /** The name of a directory in `releases`. */
  release: string
  /** The program in whose place the release runs, as it was when the release was selected. */
  program: Program
  /** ISO 8601. */
  selectedAt: string
}

/** Number of releases that are always retained. */
const retainedReleases = 3

/** Directories of a program whose files decide what it does. A package has some of them. */
const programDirectories = ['bin', 'backend', 'wire', 'app', 'supabase', 'dist/app']

/** Installed releases of a data folder. */
export const releasesDir = (dataDir: string): string => join(dataDir, 'releases')

const selectionFile = (dataDir: string): string => join(releasesDir(dataDir), 'selected.json')

/** The selection before the last upgrade, which an operator who returns to the copy of the database puts back. */
const previousFile = (dataDir: string): string => join(releasesDir(dataDir), 'previous.json')

/** The root of an installed release: the directory of its package. */
export const rootOfRelease = (dataDir: string, release: string): string =>
  join(releasesDir(dataDir), release, 'node_modules', 'linnet')

/** The parts of a program's package.json that an upgrade reads. */
export interface Manifest {
  name: string
  version: string
  bin: { linnet: string }
  engines?: { node?: string }
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** The package.json of a program; null if the directory has none, or one of another package. */
export function readManifest(root: string): Manifest | null {
  const manifest = readJson<Partial<Manifest>>(join(root, 'package.json'))
  const isProgram = manifest?.name === 'linnet' && typeof manifest.version === 'string'
  return isProgram && typeof manifest.bin?.linnet === 'string' ? (manifest as Manifest) : null
}

/** The file that runs the command `linnet` of a program. */
export function entryOf(root: string): string {
  const manifest = readManifest(root)
  if (manifest === null) throw new Error(`${root} does not contain Linnet.`)
  return join(root, manifest.bin.linnet)
}

function listFiles(root: string, directory: string): string[] {
  const folder = join(root, directory)
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => !isIgnored(file))
}

/** Tests, and settings of an installation, are no part of a program. */
const isIgnored = (file: string): boolean =>
  /\.test\.tsx?$/.test(file) || /(?:^|\/)\.env(?:\.|$)/.test(file) || file.split(sep).includes('node_modules')

/** A hash of the files of a program: two programs with the same hash do the same. */
export function hashProgram(root: string): string {
  const hash = createHash('sha256')
  // The application of a checkout is built from `app`, and may not have been built yet.
  const isCheckout = existsSync(join(root, 'package-lock.json'))
  const directories = programDirectories.filter((name) => !(isCheckout && name === 'dist/app'))
  const files = [
    'package.json',
    ...(isCheckout ? ['package-lock.json'] : []),
    ...directories.flatMap((directory) => listFiles(root, directory)),
    ...(isCheckout ? [] : listFiles(root, 'dist').filter((file) => !file.startsWith(`dist${sep}app`))),
  ]
  for (const file of files.sort())
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0')
  return hash.digest('hex').slice(0, 16)
}

/** The program at a root. Throws if there is none. */
export function readProgram(root: string): Program {
  const manifest = readManifest(root)
  if (manifest === null) throw new Error(`${root} does not contain Linnet.`)
  return { root: realpathSync(root), version: manifest.version, hash: hashProgram(root) }
}

/** The selected release of a data folder; null if there is none, or its files are gone. */
export function readSelection(dataDir: string): Selection | null {
  const selection = readJson<Selection>(selectionFile(dataDir))
  return selection !== null && readManifest(rootOfRelease(dataDir, selection.release)) !== null
    ? selection
    : null
}

/** Makes the next start run a release in place of `program`, and stores the selection before. Survives a power failure. */
export function selectRelease(dataDir: string, release: string, program: Program): void {
  const previous = selectionFile(dataDir)
  // Not synced to the disk: nobody can use the server now, and no start reads it.
  if (existsSync(previous)) copyFileSync(previous, previousFile(dataDir))
  else rmSync(previousFile(dataDir), { force: true })
  const selection: Selection = { release, program, selectedAt: new Date().toISOString() }
  replaceFileSync(selectionFile(dataDir), `${JSON.stringify(selection, null, 2)}\n`)
}

/**
 * Whether only root and the current user can change the files below a data folder. Root must not run a program that another
 * user can change.
 */
export function isTrusted(dataDir: string, uid: number = process.getuid!()): boolean {
  return [dataDir, releasesDir(dataDir)].every((folder) => {
    const stat = lstatSync(folder, { throwIfNoEntry: false })
    return stat !== undefined && (stat.uid === uid || stat.uid === 0) && (stat.mode & 0o022) === 0
  })
}

/** The names of all completely installed releases, newest first. */
export function listReleases(dataDir: string): string[] {
  const folder = releasesDir(dataDir)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.') && readManifest(rootOfRelease(dataDir, name)) !== null)
    .map((name) => ({ name, installed: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.installed - a.installed)
    .map(({ name }) => name)
}

/** The name of the directory in which this process installs or rehearses. */
export const workDirectory = (dataDir: string, purpose: 'installing' | 'rehearsal'): string =>
  join(releasesDir(dataDir), `.${purpose}-${process.pid}`)

/** Removes what ended upgrades have left behind, and all releases but the newest ones and those in use. */
export function removeOldReleases(dataDir: string, inUse: readonly string[]): void {
  const folder = releasesDir(dataDir)
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const pid = /^\.(?:installing|rehearsal)-(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid)))
      rmSync(join(folder, name), { recursive: true, force: true })
  }
  const used = new Set([...inUse, readSelection(dataDir)?.release])
  for (const name of listReleases(dataDir).slice(retainedReleases)) {
    if (!used.has(name)) rmSync(join(folder, name), { recursive: true, force: true })
  }
}
