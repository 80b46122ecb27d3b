import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { runBuild } from './build.mjs'
import { requireWritable, root } from './checkout.mjs'
import { ensureDependencies } from './dependencies.mjs'
import { hashSources } from './hashSources.mjs'
import { isAlive } from './isAlive.mjs'
import { listProductionPackages } from './listProductionPackages.mjs'
import { renderNotices } from './renderNotices.mjs'

/**
 * Releases of the server: each directory contains the built code and the packages that it loads at runtime. A server uses
 * no other code of the checkout, so that installing and building never affect a running one.
 */
const releases = join(root, '.linnet-releases')

/** A link to the current release. */
const currentLink = join(releases, 'current')

/** Number of releases that are always retained, as a server may be starting from one. */
const retainedReleases = 3

/**
 * Copies a package, with hard links if possible: npm replaces files instead of writing to them.
 * @param {string} from
 * @param {string} to
 */
function linkPackage(from, to) {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else if (entry.isDirectory()) {
      // Nested packages have their own entries in the lock file.
      if (entry.name !== 'node_modules') linkPackage(source, target)
    } else {
      try {
        linkSync(source, target)
      } catch {
        // Another file system, too many links, or a file of another owner.
        copyFileSync(source, target)
      }
    }
  }
}

/** Name of the release of the current sources. */
const releaseName = () => hashSources(['backend', 'wire']).slice(0, 16)

/** Builds the release of the current sources and returns its name. */
async function makeRelease() {
  for (;;) {
    const name = releaseName()
    const release = join(releases, name)
    const partial = `${release}.${process.pid}`
    rmSync(partial, { recursive: true, force: true })
    mkdirSync(join(partial, 'users'), { recursive: true })
    copyFileSync(join(root, 'package.json'), join(partial, 'package.json'))
    for (const path of listProductionPackages()) linkPackage(join(root, path), join(partial, path))
    writeFileSync(join(partial, 'THIRD-PARTY-NOTICES.txt'), renderNotices())
    await runBuild('server', join(partial, 'dist'))
    // If sources changed during the build, it matches neither state.
    const isUnchanged = releaseName() === name
    try {
      if (isUnchanged) renameSync(partial, release)
    } catch (error) {
      // Another process has built the same release.
      if (!existsSync(release)) throw error
    }
    rmSync(partial, { recursive: true, force: true })
    if (isUnchanged) return name
  }
}

function makeCurrent(/** @type {string} */ name) {
  const now = new Date()
  utimesSync(join(releases, name), now, now)
  const link = `${currentLink}.${process.pid}`
  rmSync(link, { force: true })
  symlinkSync(name, link)
  renameSync(link, currentLink)
}

function currentRelease() {
  try {
    const name = readlinkSync(currentLink)
    return existsSync(join(releases, name)) ? name : null
  } catch {
    return null
  }
}

/** Removes incomplete builds of processes that have ended, and releases, except the newest ones and those in use. */
function removeOldReleases() {
  const ps = ['-A', '-o', 'args=', '-ww']
  const { status, stdout } = spawnSync('ps', ps, { encoding: 'utf8', maxBuffer: 2 ** 26 })
  // Without the list of processes nothing shows which releases are in use, so none is removed.
  if (status !== 0) return
  /** Whether a server uses this release: one that is registered in it, or a PostgreSQL process. */
  const isUsed = (/** @type {string} */ release) =>
    stdout.includes(`${release}/`) || readdirSync(join(release, 'users')).some((pid) => isAlive(Number(pid)))
  const names = readdirSync(releases).filter((name) => name !== 'current')
  const abandoned = names.filter((name) => name.includes('.') && !isAlive(Number(name.split('.')[1])))
  const unused = names
    .filter((name) => !name.includes('.'))
    .map((name) => ({ name, made: statSync(join(releases, name)).mtimeMs }))
    .sort((a, b) => b.made - a.made)
    .slice(retainedReleases)
    .filter(({ name }) => !isUsed(join(releases, name)))
  for (const name of [...abandoned, ...unused.map((one) => one.name)])
    rmSync(join(releases, name), { recursive: true, force: true })
}

/** URL of a release's module. */
const entryOf = (/** @type {string} */ name) => pathToFileURL(join(releases, name, 'dist', 'linnet.js')).href

/**
 * Builds the release of the current sources if it is missing, and returns its name.
 * @param {() => Promise<void>} [beforeBuild]
 */
async function ensureRelease(beforeBuild) {
  const name = releaseName()
  if (existsSync(join(releases, name))) return name
  requireWritable()
  await beforeBuild?.()
  await ensureDependencies()
  return makeRelease()
}

/** Builds the server if its sources changed, and returns the directory with its code. The commands continue to run another build. */
export const ensureServerCode = async () => join(releases, await ensureRelease(), 'dist')

/**
 * Builds the server if its sources changed, and returns the URL of its module.
 * @param {() => Promise<void>} [beforeBuild] runs before a build, which takes minutes if packages are missing
 */
export async function ensureServer(beforeBuild) {
  const name = await ensureRelease(beforeBuild)
  if (currentRelease() !== name) {
    requireWritable()
    makeCurrent(name)
    removeOldReleases()
  }
  return entryOf(name)
}

/** The last build of the server, regardless of the current sources; undefined if there is none. */
export function builtServer() {
  const name = currentRelease()
  return name === null ? undefined : entryOf(name)
}

/** Registers this process as a user of the release, so that it is not removed. */
export function useRelease(/** @type {string} */ server) {
  const mark = join(dirname(dirname(fileURLToPath(server))), 'users', String(process.pid))
  try {
    writeFileSync(mark, '')
    process.once('exit', () => rmSync(mark, { force: true }))
  } catch {
    // Without permission to write: PostgreSQL's command line shows which release is in use.
  }
}
