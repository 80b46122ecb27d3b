import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface InstalledPackage {
  /** The folder whose `node_modules` contains it. */
  base: string
  /** The name in its own package.json, which differs from the folder's for an alias. */
  name: string
  version: string
  /** Path of that package.json. */
  manifest: string
}

interface Manifest {
  name?: string
  version?: string
  dependencies?: Record<string, string>
}

/** Null if the file is missing or invalid. */
function readManifest(folder: string): Manifest | null {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  } catch {
    return null
  }
}

function packageAt(base: string, name: string): InstalledPackage | null {
  const folder = join(base, 'node_modules', name)
  const read = readManifest(folder)
  if (read === null) return null
  const manifest = join(folder, 'package.json')
  return { base, name: read.name ?? name, version: read.version ?? '0.0.0', manifest }
}

function* upward(folder: string): Generator<string> {
  for (let at = folder, next = dirname(at); ; at = next, next = dirname(at)) {
    yield at
    if (next === at) return
  }
}

/** Linnet's own folder: the installed package, a release, or the checkout if it runs from its sources. */
function findOwnFolder(): string | null {
  for (const folder of upward(dirname(fileURLToPath(import.meta.url)))) {
    if (existsSync(join(folder, 'package.json'))) return folder
  }
  return null
}

/** The installed package of that name that a module in the folder `from` finds: in the folder or above it, as in Node. */
function packageAbove(from: string, name: string, skipped: string | null): InstalledPackage | null {
  for (const folder of upward(from)) {
    const found = folder === skipped ? null : packageAt(folder, name)
    if (found) return found
  }
  return null
}

/** The checkout that a release in `<checkout>/.linnet-releases/<name>` was built from; else null. */
function checkoutOf(own: string | null): string | null {
  const releases = own === null ? '' : dirname(own)
  return basename(releases) === '.linnet-releases' ? dirname(releases) : null
}

/** Of Linnet's own packages, only declared dependencies: transitive ones may change. */
function ownPackage(name: string): InstalledPackage | null {
  const folder = findOwnFolder()
  if (folder === null) return null
  const { dependencies = {} } = readManifest(folder) ?? {}
  return Object.hasOwn(dependencies, name) ? packageAbove(folder, name, null) : null
}

/**
 * The installed package that a module in the folder `from` imports by that name: resolved as in Node, from the folder
 * upward, then among Linnet's own dependencies, so that supabase-js is available without installation. Packages of the
 * checkout itself are skipped when a release runs: it has the same packages, and npm may empty the checkout's folder at
 * any time.
 */
export function findPackage(name: string, from: string): InstalledPackage | null {
  return packageAbove(from, name, checkoutOf(findOwnFolder())) ?? ownPackage(name)
}
