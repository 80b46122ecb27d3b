import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
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
 * Holds the right to change node_modules until this process ends: two starts at once would delete what the other
 * has just written. Waits while another process holds it.
 */
function lockInstallation() {
  const lock = join(root, '.installing')
  const own = `${lock}.${process.pid}`
  writeFileSync(own, String(process.pid))
  process.once('exit', () => rmSync(own, { force: true }))
  let waits = false
  for (;;) {
    try {
      // A link appears with its content: nobody sees a lock that doesn't say whose it is.
      linkSync(own, lock)
      process.once('exit', () => rmSync(lock, { force: true }))
      return
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
  // Installing empties the folder first: that of another checkout, which works with it, would be gone under its feet.
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    stopWith(
      'node_modules is a link to those of another checkout, and not what package-lock.json asks for. Remove the link.',
    )
  }
  lockInstallation()
  if (readIfThere(mark) === wanted) return
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

function isFresh(stamp, output, folders) {
  const value = hashOf(folders)
  const file = join(root, 'dist', stamp)
  return {
    fresh: existsSync(join(root, output)) && existsSync(file) && readFileSync(file, 'utf8') === value,
    keep: () => {
      // A build whose sources changed under it is of neither state, and would pass for the first one.
      if (hashOf(folders) !== value) return
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, value)
    },
  }
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

/** Bundles `entry` (a TypeScript file) for Node into `dist/<outDir>/<name>.js`; packages stay outside. */
export async function bundle(entry, outDir, name) {
  const { build } = await import('vite')
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    build: {
      ssr: entry,
      outDir: join('dist', outDir),
      emptyOutDir: false,
      target: 'node20',
      minify: false,
      sourcemap: true,
      rolldownOptions: { checks: { pluginTimings: false }, output: { entryFileNames: `${name}.js` } },
    },
  })
  return pathToFileURL(join(root, 'dist', outDir, `${name}.js`)).href
}

/** For bin/build.mjs. */
export async function buildServer() {
  await bundle('backend/commands/linnet.ts', 'backend', 'linnet')
  await bundle('backend/functions/worker/worker.ts', 'backend', 'functionWorker')
}

/** For bin/build.mjs. */
export async function buildApp() {
  const { build } = await import('vite')
  await build({ configFile: join(root, 'vite.config.ts'), logLevel: 'warn' })
}

function buildApart(part) {
  const { status } = spawnSync(process.execPath, [join(root, 'bin', 'build.mjs'), part], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) stopWith(`The ${part} could not be built: the reason stands above.`)
}

/** The server, built when its sources changed. Answers the module's address. */
export async function ensureServer() {
  const output = 'dist/backend/linnet.js'
  const { fresh, keep } = isFresh('.server-stamp', output, ['backend', 'wire'])
  if (!fresh) {
    say('Building the server…')
    buildApart('server')
    keep()
  }
  return pathToFileURL(join(root, output)).href
}

/** The browser application, built when its sources changed. */
export async function ensureApp() {
  const { fresh, keep } = isFresh('.app-stamp', 'dist/app/index.html', ['app', 'wire'])
  if (fresh) return
  say('Building the application…')
  buildApart('app')
  keep()
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
