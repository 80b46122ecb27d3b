import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../setup.mjs'

/**
 * @typedef {{
 *   version?: string
 *   dependencies?: Record<string, string>
 *   peerDependencies?: Record<string, string>
 *   peerDependenciesMeta?: Record<string, { optional?: boolean }>
 * }} LockedPackage
 */

/**
 * Packages that the server loads by a name that its code does not import: the font of the administration page, and the
 * client library, which functions of other projects import.
 */
const loadedByName = ['@fontsource-variable/inter', '@supabase/supabase-js']

/** The names of packages that the built code in a directory imports, or resolves to load them in another process. */
function listImports(/** @type {string} */ directory) {
  const pattern = /(?:\bfrom|\bimport\(?|\brequire\(|\.resolve\()\s*["'`]((?:@[\w.-]+\/)?[a-z][\w.-]*)/g
  const code = readdirSync(directory)
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(join(directory, name), 'utf8'))
    .join('\n')
  return Array.from(code.matchAll(pattern), ([, name = '']) => name)
}

/**
 * The path in node_modules of the package that a package imports by this name, as Node finds it; undefined if it is not
 * locked.
 * @param {Record<string, LockedPackage>} packages
 * @param {string} from
 * @param {string} name
 */
function resolvePackage(packages, from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`
    if (packages[path] !== undefined) return path
    if (at === '') return undefined
  }
}

/**
 * The dependencies of the published package. Of the checkout's dependencies these are the ones that the built server or a
 * function loads, and all packages that those need. Each has the exact version of package-lock.json: npm ignores the lock of a
 * package that is installed from a tarball, and would install newer versions of indirect dependencies. Optional ones have exact
 * versions in their own packages.
 * @param {string} serverDirectory
 * @param {string[]} functionPackages
 */
export function listDependencies(serverDirectory, functionPackages) {
  /** @type {{ packages: Record<string, LockedPackage> }} */
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const loaded = new Set([...loadedByName, ...functionPackages, ...listImports(serverDirectory)])
  const direct = Object.keys(packages['']?.dependencies ?? {}).filter((name) => loaded.has(name))
  /** @type {Set<string>} */
  const paths = new Set()
  const add = (/** @type {string} */ from, /** @type {string} */ name) => {
    const path = resolvePackage(packages, from, name)
    if (path === undefined) throw new Error(`package-lock.json has no ${name}, which ${from} needs`)
    if (paths.has(path)) return
    paths.add(path)
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = packages[path] ?? {}
    for (const needed of Object.keys(dependencies)) add(path, needed)
    for (const needed of Object.keys(peerDependencies))
      if (!peerDependenciesMeta[needed]?.optional) add(path, needed)
  }
  for (const name of direct) add('', name)
  /** @type {Record<string, string>} */
  const versions = {}
  for (const path of [...paths].sort()) {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    // Of a name with several versions, the others remain ranges of the packages that need them.
    if (paths.has(`node_modules/${name}`) && path !== `node_modules/${name}`) continue
    versions[name] = packages[path]?.version ?? ''
  }
  return Object.fromEntries(Object.entries(versions).sort(([a], [b]) => (a < b ? -1 : 1)))
}
