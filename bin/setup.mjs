import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The checkout that contains this file. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** Prints a line to stderr: stdout is for results. */
export const print = (line) => process.stderr.write(`${line}\n`)

/** Prints a message and ends the process. */
export function fail(sentence) {
  print(sentence)
  process.exit(1)
}

/** Linnet requires Node 20.19 or newer. */
export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  fail(
    `Linnet needs Node 20.19 or newer; this is ${process.versions.node}. Install a newer Node and start again.`,
  )
}

/**
 * Locks node_modules and returns a function that unlocks it: two concurrent installations would delete each other's files.
 * Waits while another process has the lock.
 */
function lockInstallation() {
  const lock = join(root, '.installing')
  const ownFile = `${lock}.${process.pid}`
  writeFileSync(ownFile, String(process.pid))
  let isWaiting = false
  for (;;) {
    try {
      // A hard link appears with its content: a lock always contains its process id.
      linkSync(ownFile, lock)
      rmSync(ownFile)
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const holder = readIfExists(lock)
    if (holder !== '' && !isAlive(Number(holder))) rmSync(lock, { force: true })
    else {
      if (!isWaiting) print(`Process ${holder} is installing the dependencies; waiting for it…`)
      isWaiting = true
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
    }
  }
  const unlock = () => rmSync(lock, { force: true })
  process.once('exit', unlock)
  return () => {
    process.off('exit', unlock)
    unlock()
  }
}

function readIfExists(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Prints a message if this user can't write to the checkout, as is common for services. */
function requireWritable() {
  try {
    accessSync(root, constants.W_OK)
  } catch {
    fail(
      `Linnet has changed since it was built, and this user can't write to ${root}. As the user who owns it, run: bin/linnet build`,
    )
  }
}

/**
 * Installs the locked dependencies if they are missing or belong to another lock file. A file in node_modules contains the
 * hash of their lock file.
 */
export function ensureDependencies() {
  const expected = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  const mark = join(root, 'node_modules', '.linnet-lock')
  if (readIfExists(mark) === expected) return
  requireWritable()
  // An installation empties the directory first, which another checkout may use through this link.
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    fail('node_modules is a link to another checkout and does not match package-lock.json. Remove the link.')
  }
  const unlock = lockInstallation()
  if (readIfExists(mark) !== expected) installDependencies(mark, expected)
  // Unlocked here, as this process may continue to run as a server.
  unlock()
}

function installDependencies(mark, expected) {
  print('Installing dependencies…')
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const result = spawnSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--include=dev'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (result.status !== 0) {
    fail(
      'The dependencies could not be installed: see the output of npm above. Fix the problem and start again.',
    )
  }
  writeFileSync(mark, expected)
}

/** All files below `folders` in a fixed order, without tests, which are not part of a build. */
function listSources(folders) {
  const files = []
  const walk = (path) => {
    for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
      const inner = `${path}/${entry.name}`
      if (entry.isDirectory()) walk(inner)
      else if (!/\.test\.tsx?$/.test(entry.name)) files.push(inner)
    }
  }
  for (const folder of folders) if (existsSync(join(root, folder))) walk(folder)
  return files.sort()
}

/** A hash of all sources of a build of these folders. */
function hashOf(folders) {
  const hash = createHash('sha256')
  for (const file of [
    ...listSources(folders),
    'package-lock.json',
    'vite.config.ts',
    'bin/setup.mjs',
    'bin/removeUnusedClientCode.ts',
    'bin/removeUnusedReactCode.ts',
    'bin/messageCatalogs.ts',
  ]) {
    if (!existsSync(join(root, file))) continue
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0')
  }
  return hash.digest('hex')
}

/** Bundles `entry` (a TypeScript file) for Node into `<outDir>/<name>.js`, without packages. */
export async function bundle(entry, outDir, name) {
  const { build } = await import('vite')
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    build: {
      ssr: entry,
      outDir,
      emptyOutDir: false,
      target: 'node20',
      minify: false,
      sourcemap: true,
      rolldownOptions: {
        checks: { pluginTimings: false },
        // All in one directory: functionWorker.js is found beside the code that starts it.
        output: { entryFileNames: `${name}.js`, chunkFileNames: '[name]-[hash].js' },
      },
    },
  })
  return pathToFileURL(resolve(root, outDir, `${name}.js`)).href
}

/** For bin/build.mjs. */
export async function buildServer(outDir) {
  await bundle('backend/cli/linnet.ts', outDir, 'linnet')
  await bundle('backend/functions/worker/worker.ts', outDir, 'functionWorker')
}

/** For bin/build.mjs. */
export async function buildApp() {
  const { build } = await import('vite')
  await build({ configFile: join(root, 'vite.config.ts'), logLevel: 'warn' })
}

function runBuild(...args) {
  const { status } = spawnSync(process.execPath, [join(root, 'bin', 'build.mjs'), ...args], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) fail(`The ${args[0]} could not be built: see the error above.`)
}

/**
 * Releases of the server: each directory contains the built code and the packages that it loads at runtime. A server uses
 * no other code of the checkout, so that installing and building never affect a running one.
 */
const releases = join(root, '.linnet-releases')

/** A link to the current release. */
const currentLink = join(releases, 'current')

/** Number of releases that are always retained, as a server may be starting from one. */
const retainedReleases = 3

/** Copies a tree, with hard links if possible: npm replaces files instead of writing to them. */
function linkTree(from, to) {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    const target = join(to, entry.name)
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else if (!entry.isDirectory()) linkOrCopy(source, target)
    // Nested packages have their own entries in the lock file.
    else if (entry.name !== 'node_modules') linkTree(source, target)
  }
}

function linkOrCopy(source, target) {
  try {
    linkSync(source, target)
  } catch {
    // Another file system, too many links, or a file of another owner.
    copyFileSync(source, target)
  }
}

/** Links all installed packages except development dependencies. */
function linkPackages(release) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  for (const [path, { dev }] of Object.entries(packages)) {
    if (path !== '' && !dev && existsSync(join(root, path))) linkTree(join(root, path), join(release, path))
  }
}

/** Name of the release of the current sources. */
function releaseName() {
  return hashOf(['backend', 'wire']).slice(0, 16)
}

/** Builds the release of the current sources and returns its name. */
function makeRelease() {
  for (;;) {
    const name = releaseName()
    const release = join(releases, name)
    const partial = `${release}.${process.pid}`
    rmSync(partial, { recursive: true, force: true })
    mkdirSync(join(partial, 'users'), { recursive: true })
    copyFileSync(join(root, 'package.json'), join(partial, 'package.json'))
    linkPackages(partial)
    runBuild('server', join(partial, 'dist'))
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

function makeCurrent(name) {
  if (currentRelease() === name) return
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

/**
 * Whether a server uses this release: one that is registered in it, or a PostgreSQL process.
 * @param commands the command lines of all processes
 */
function isUsed(release, commands) {
  const users = join(release, 'users')
  const isRegistered = existsSync(users) && readdirSync(users).some((pid) => isAlive(Number(pid)))
  return isRegistered || commands.includes(`${release}/`)
}

/** Removes unused releases, except the newest ones, and incomplete builds. */
function removeOldReleases() {
  const { status, stdout } = spawnSync('ps', ['-A', '-o', 'args=', '-ww'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  // Without the list of processes nothing shows which releases are in use, so none is removed.
  if (status !== 0) return
  const names = readdirSync(releases, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
  const unfinished = names.filter((name) => name.includes('.') && !isAlive(Number(name.split('.')[1])))
  const old = names
    .filter((name) => !name.includes('.'))
    .map((name) => ({ name, made: statSync(join(releases, name)).mtimeMs }))
    .sort((a, b) => b.made - a.made)
    .slice(retainedReleases)
    .filter(({ name }) => !isUsed(join(releases, name), stdout))
    .map(({ name }) => name)
  for (const name of [...unfinished, ...old]) {
    rmSync(join(releases, name), { recursive: true, force: true })
  }
}

/** URL of a release's module. */
const entryOf = (name) => pathToFileURL(join(releases, name, 'dist', 'linnet.js')).href

/** Builds the server if its sources changed, and returns the URL of its module. */
export async function ensureServer() {
  let name = releaseName()
  if (!existsSync(join(releases, name))) {
    requireWritable()
    ensureDependencies()
    print('Building the server…')
    name = makeRelease()
  }
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
export function useRelease(server) {
  const mark = join(dirname(dirname(fileURLToPath(server))), 'users', String(process.pid))
  try {
    writeFileSync(mark, '')
    process.once('exit', () => rmSync(mark, { force: true }))
  } catch {
    // Without permission to write: PostgreSQL's command line shows which release is in use.
  }
}

/** Builds the browser application if its sources changed. */
export async function ensureApp() {
  const sources = hashOf(['app', 'wire'])
  const stamp = join(root, 'dist', '.app-stamp')
  if (readIfExists(stamp) === sources && existsSync(join(root, 'dist', 'app', 'index.html'))) return
  requireWritable()
  ensureDependencies()
  print('Building the application…')
  runBuild('app')
  // If sources changed during the build, it matches neither state.
  if (hashOf(['app', 'wire']) === sources) writeFileSync(stamp, sources)
}
