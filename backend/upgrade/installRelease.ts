import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { StartError } from '../postgres/server/StartError.ts'
import { readJson } from '../runtime/durableFiles.ts'
import { hashProgram, readManifest, releasesDir, rootOfRelease } from './installedReleases.ts'
import { runProgram, unpackPackage, type OpenSource } from './openSource.ts'

interface PackageFile {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

/** Copies a directory. Files become hard links if `isLinked` and the system permits it: npm replaces files, and does not write into them. */
function copyDirectory(from: string, to: string, isLinked: boolean): void {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else if (entry.isDirectory()) copyDirectory(source, target, isLinked)
    else copyFile(source, target, isLinked)
  }
}

function copyFile(source: string, target: string, isLinked: boolean): void {
  if (isLinked) {
    try {
      return linkSync(source, target)
    } catch {
      // Another file system, too many links, or a file of another owner.
    }
  }
  copyFileSync(source, target)
}

/** The directory of a package as Node finds it from another package; null if it is not installed. */
function findPackage(from: string, name: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name)
    if (existsSync(join(found, 'package.json'))) return found
    if (folder === dirname(folder)) return null
  }
}

/**
 * Copies the packages that a package needs, and those that they need, into `modules`. Throws StartError if one is missing.
 * @param installedIn a directory in which, or above which, the packages are installed
 */
function copyDependencies(packageDir: string, installedIn: string, modules: string): void {
  const pending = [packageDir]
  const seen = new Set<string>()
  for (let from = pending.pop(); from !== undefined; from = pending.pop()) {
    const needed = readJson<PackageFile>(join(from, 'package.json')) ?? {}
    const optional = new Set(Object.keys(needed.optionalDependencies ?? {}))
    const peers = Object.keys(needed.peerDependencies ?? {}).filter(
      (name) => !needed.peerDependenciesMeta?.[name]?.optional,
    )
    for (const name of new Set([...Object.keys(needed.dependencies ?? {}), ...optional, ...peers])) {
      const found = findPackage(from === packageDir ? installedIn : from, name)
      if (found === null) {
        if (optional.has(name)) continue
        throw new StartError(`The package ${name} is not installed in ${installedIn}.`)
      }
      if (seen.has(found)) continue
      seen.add(found)
      pending.push(found)
      // A package within another one has been copied with it.
      if (found.startsWith(`${from}/`) && from !== packageDir) continue
      const target = join(modules, name)
      if (!existsSync(target)) copyDirectory(found, target, true)
    }
  }
}

/** Builds the package of a checkout with the checkout's own command, and returns the directory with its files. */
async function buildPackage(checkout: string, workDir: string): Promise<string> {
  const output = await runProgram(process.execPath, [join(checkout, 'bin', 'pack.mjs'), workDir], checkout)
  return unpackPackage(output.trim(), workDir)
}

/**
 * Installs a version beside the others, completely or not at all. Throws StartError.
 * @param workDir an existing directory below `releases`
 * @returns the name of the release
 */
export async function installRelease(open: OpenSource, dataDir: string, workDir: string): Promise<string> {
  const prefix = join(workDir, 'prefix')
  const modules = join(prefix, 'node_modules')
  mkdirSync(modules, { recursive: true, mode: 0o755 })
  if (open.tarball === null) {
    const packageDir = open.source.kind === 'checkout' ? await buildPackage(open.root, workDir) : open.root
    copyDirectory(packageDir, join(modules, 'linnet'), false)
    copyDependencies(packageDir, open.root, modules)
  } else {
    const options = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    await runProgram('npm', ['install', '--prefix', prefix, ...options, open.tarball], prefix)
  }
  const root = join(modules, 'linnet')
  const manifest = readManifest(root)
  if (manifest === null) throw new StartError(`The version can't be installed: ${root} is incomplete.`)
  const release = `${manifest.version}-${hashProgram(root).slice(0, 8)}`
  const target = join(releasesDir(dataDir), release)
  if (existsSync(rootOfRelease(dataDir, release))) rmSync(prefix, { recursive: true, force: true })
  else renameSync(prefix, target)
  return release
}
