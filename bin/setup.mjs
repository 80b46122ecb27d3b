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

/** The checkout that this file belongs to. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..')

const say = (line) => process.stderr.write(`${line}\n`)

/** Ends the process with a sentence for the person at the terminal. */
export function stopWith(sentence) {
  say(sentence)
  process.exit(1)
}

/** Node 20.19 is the oldest that Linnet runs on. */
export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  stopWith(
    `Linnet needs Node 20.19 or newer; this is ${process.versions.node}. Install a newer Node and start again.`,
  )
}

/**
 * Takes the right to change node_modules, and answers what gives it back: two starts at once would delete what the other
 * has just written. Waits while another process has it.
 */
function lockInstallation() {
  const lock = join(root, '.installing')
  const own = `${lock}.${process.pid}`
  writeFileSync(own, String(process.pid))
  let waits = false
  for (;;) {
    try {
      // A link appears with its content: nobody sees a lock that doesn't say whose it is.
      linkSync(own, lock)
      rmSync(own)
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const holder = readIfThere(lock)
    if (holder !== '' && !isAlive(Number(holder))) rmSync(lock, { force: true })
    else {
      if (!waits) say(`Process ${holder} installs the dependencies; waiting for it…`)
      waits = true
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

function readIfThere(file) {
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

/** A service often runs as a user who may not change the program: that user gets a sentence, not a stack trace. */
function requireWritable() {
  try {
    accessSync(root, constants.W_OK)
  } catch {
    stopWith(
      `Linnet has changed since it was built, and this user can't write to ${root}. As the user who owns it, run: bin/linnet build`,
    )
  }
}

/**
 * Installs the locked dependencies when they are missing or are those of another lock file.
 * A mark inside node_modules says which lock file they belong to.
 */
export function ensureDependencies() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  const mark = join(root, 'node_modules', '.linnet-lock')
  if (readIfThere(mark) === wanted) return
  requireWritable()
  // Installing empties the folder first: that of another checkout, which works with it, would be gone under its feet.
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    stopWith(
      'node_modules is a link to those of another checkout, and not what package-lock.json asks for. Remove the link.',
    )
  }
  const unlock = lockInstallation()
  if (readIfThere(mark) !== wanted) installDependencies(mark, wanted)
  // A server runs for weeks after it has installed: the next installation does not wait for its end.
  unlock()
}

function installDependencies(mark, wanted) {
  say('Installing dependencies…')
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const result = spawnSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--include=dev'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (result.status !== 0) {
    stopWith('The dependencies could not be installed: npm says why above. Mend that and start again.')
  }
  writeFileSync(mark, wanted)
}

/** Every file below `folders`, in a fixed order. Tests do not change what is built. */
function sourcesOf(folders) {
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

/** What a build of these folders is made from, as one sum. */
function hashOf(folders) {
  const hash = createHash('sha256')
  for (const file of [
    ...sourcesOf(folders),
    'package-lock.json',
    'vite.config.ts',
    'bin/setup.mjs',
    'bin/leaveOut.ts',
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

/** Bundles `entry` (a TypeScript file) for Node into `<outDir>/<name>.js`; packages stay outside. */
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
      rolldownOptions: { checks: { pluginTimings: false }, output: { entryFileNames: `${name}.js` } },
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

function buildApart(...args) {
  const { status } = spawnSync(process.execPath, [join(root, 'bin', 'build.mjs'), ...args], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) stopWith(`The ${args[0]} could not be built: the reason stands above.`)
}

/**
 * Releases of the server: each directory has the built code, and the packages that it loads while it runs. A server
 * uses nothing else of the checkout's code, so that installing and building never change a running one.
 */
const releases = join(root, '.linnet-releases')

/** A link to the release that was made current last. */
const currentLink = join(releases, 'current')

/** The newest releases are kept in any case: a server may be starting from one. */
const keptReleases = 3

/** Every file of `from` in `to`, as a hard link where that is possible: npm replaces files, it does not write into them. */
function linkTree(from, to) {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    const target = join(to, entry.name)
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else if (!entry.isDirectory()) linkOrCopy(source, target)
    // Packages within packages have entries of their own in the lock file.
    else if (entry.name !== 'node_modules') linkTree(source, target)
  }
}

function linkOrCopy(source, target) {
  try {
    linkSync(source, target)
  } catch {
    // Another file system, too many links, or a file of somebody else's.
    copyFileSync(source, target)
  }
}

/** All packages that are installed and not for development only. */
function linkPackages(release) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  for (const [path, { dev }] of Object.entries(packages)) {
    if (path !== '' && !dev && existsSync(join(root, path))) linkTree(join(root, path), join(release, path))
  }
}

/** The release of the present sources. */
function releaseName() {
  return hashOf(['backend', 'wire']).slice(0, 16)
}

/** Builds the release of the present sources; answers its name. */
function makeRelease() {
  for (;;) {
    const name = releaseName()
    const release = join(releases, name)
    const partial = `${release}.${process.pid}`
    rmSync(partial, { recursive: true, force: true })
    mkdirSync(join(partial, 'users'), { recursive: true })
    copyFileSync(join(root, 'package.json'), join(partial, 'package.json'))
    linkPackages(partial)
    buildApart('server', join(partial, 'dist'))
    // Sources that changed during the build: it is of neither state.
    const isWhole = releaseName() === name
    try {
      if (isWhole) renameSync(partial, release)
    } catch (error) {
      // Another process has built the same meanwhile.
      if (!existsSync(release)) throw error
    }
    rmSync(partial, { recursive: true, force: true })
    if (isWhole) return name
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
 * Whether a server runs from this release: one that has entered itself, or else PostgreSQL as its process.
 * @param commands the command lines of all processes
 */
function isUsed(release, commands) {
  const users = join(release, 'users')
  const isEntered = existsSync(users) && readdirSync(users).some((pid) => isAlive(Number(pid)))
  return isEntered || commands.includes(`${release}/`)
}

/** Removes what no running server uses: all but the newest releases, and builds that were not finished. */
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
    .slice(keptReleases)
    .filter(({ name }) => !isUsed(join(releases, name), stdout))
    .map(({ name }) => name)
  for (const name of [...unfinished, ...old]) {
    rmSync(join(releases, name), { recursive: true, force: true })
  }
}

/** The module of a release. */
const entryOf = (name) => pathToFileURL(join(releases, name, 'dist', 'linnet.js')).href

/** The server of the present sources, built when they changed. Answers the module's address. */
export async function ensureServer() {
  let name = releaseName()
  if (!existsSync(join(releases, name))) {
    requireWritable()
    ensureDependencies()
    say('Building the server…')
    name = makeRelease()
  }
  if (currentRelease() !== name) {
    requireWritable()
    makeCurrent(name)
    removeOldReleases()
  }
  return entryOf(name)
}

/** The server that was built last, whatever the sources are now; undefined where there is none. */
export function builtServer() {
  const name = currentRelease()
  return name === null ? undefined : entryOf(name)
}

/** Keeps the release of `server` from being removed until this process ends. */
export function useRelease(server) {
  const mark = join(dirname(dirname(fileURLToPath(server))), 'users', String(process.pid))
  try {
    writeFileSync(mark, '')
    process.once('exit', () => rmSync(mark, { force: true }))
  } catch {
    // A user who may not write there: PostgreSQL's command line shows what is used.
  }
}

/** The browser application, built when its sources changed. */
export async function ensureApp() {
  const sources = hashOf(['app', 'wire'])
  const stamp = join(root, 'dist', '.app-stamp')
  if (readIfThere(stamp) === sources && existsSync(join(root, 'dist', 'app', 'index.html'))) return
  requireWritable()
  ensureDependencies()
  say('Building the application…')
  buildApart('app')
  // A build whose sources changed under it is of neither state, and would pass for the first one.
  if (hashOf(['app', 'wire']) === sources) writeFileSync(stamp, sources)
}

/** Installs Debian packages where this runs as root on such a system; what apt prints goes to stderr. */
function installWithApt(packages) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return
  say(`Installing ${packages.join(', ')}…`)
  const apt = (args) =>
    spawnSync('apt-get', args, {
      stdio: ['ignore', 2, 2],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  const install = ['install', '-y', '-qq', '--no-install-recommends', ...packages]
  if (apt(install).status !== 0) {
    apt(['update', '-qq'])
    apt(install)
  }
}

/**
 * Debian's chromium for the browser journeys: installed with apt where this runs as root on such a
 * system. Answers its path, or null with a sentence on stderr.
 */
export function ensureChromium() {
  const found = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)
  if (process.env.LINNET_CHROMIUM) return process.env.LINNET_CHROMIUM
  if (found) return found
  installWithApt(['chromium', 'fonts-noto-color-emoji', 'fonts-noto-cjk'])
  if (existsSync('/usr/bin/chromium')) return '/usr/bin/chromium'
  say(
    'The browser journeys need Chromium: install it, or name one in LINNET_CHROMIUM, and run the tests again.',
  )
  return null
}

/** What the journeys in each further engine start, and the Debian packages that contain it. */
const ENGINES = {
  firefox: {
    programs: [process.env.LINNET_FIREFOX ?? '/usr/bin/firefox-esr'],
    packages: ['firefox-esr'],
  },
  webkit: {
    programs: ['/usr/bin/WebKitWebDriver', '/usr/bin/Xvfb'],
    packages: ['webkit2gtk-driver', 'xvfb'],
  },
}

export const engineNames = Object.keys(ENGINES)

/** Those of the named engines that are installed, after an attempt to install them; a sentence on stderr for the others. */
export function ensureEngines(names) {
  return names.filter((name) => {
    const { programs, packages } = ENGINES[name]
    const isInstalled = () => programs.every((program) => existsSync(program))
    if (!isInstalled()) installWithApt(packages)
    if (isInstalled()) return true
    say(
      `The journeys in ${name} were not run: ${programs.join(' and ')} not found. On Debian, run apt-get install ${packages.join(' ')} as root, and run the tests again.`,
    )
    return false
  })
}

/** Newer versions of Node that are supported, as releases of the npm packages that contain the program. */
const NODES = ['24.21.0', '26.10.0']

/**
 * The programs of newer versions of Node, for tests in them: installed into `dist`, apart from the dependencies, so that
 * nobody else downloads them. `node` is null, with a sentence on stderr, where that could not be done.
 */
export function ensureNodes() {
  return NODES.map((version) => {
    const folder = join(root, 'dist', 'nodes', version)
    const node = join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')
    if (existsSync(node)) return { version, node }
    const packageOfNode = `node-${process.platform}-${process.arch}@${version}`
    say(`Installing ${packageOfNode}…`)
    mkdirSync(folder, { recursive: true })
    const options = ['--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund']
    const { status } = spawnSync('npm', ['install', ...options, '--loglevel=error', packageOfNode], {
      stdio: ['ignore', 2, 2],
    })
    if (status === 0 && existsSync(node)) return { version, node }
    say(`The tests in Node ${version} were not run: the npm package ${packageOfNode} could not be installed.`)
    return { version, node: null }
  })
}
