import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { ensureApp, ensureServerCode, fail, root } from '../setup.mjs'
import { renderNotices } from '../setup/renderNotices.mjs'
import { listFunctionSources } from './listFunctionSources.mjs'
import { listDependencies } from './runtimePackages.mjs'

/** The command of the package. */
const command = 'bin/pack/linnet.mjs'

/** Files and directories of the checkout that the package contains as they are. */
const copied = [
  command,
  'bin/setup/requireNode.mjs',
  'LICENSE',
  'NOTICE',
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'service',
  'supabase/config.toml',
  'supabase/linnet.toml',
  'supabase/seed.sql',
  'supabase/demo',
  'supabase/migrations',
  'supabase/templates',
]

/** The documents that messages of the server refer to. The decisions are for developers. */
const listDocuments = () =>
  readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name))

/** The files of Linnet's Edge Functions that name the packages that a function imports. */
const listImportMaps = () =>
  readdirSync(join(root, 'supabase/functions'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('deno.json'))
    .map((name) => join('supabase/functions', name))

/**
 * Builds everything and writes the content of the package to a directory.
 * @param {string} staging
 */
async function stagePackage(staging) {
  await ensureApp()
  const server = await ensureServerCode()
  mkdirSync(join(staging, 'dist'))
  // Without source maps: stack traces of the server name the built files, which are not minified.
  for (const name of readdirSync(server))
    if (!name.endsWith('.map')) copyFileSync(join(server, name), join(staging, 'dist', name))
  const { files, packages } = await listFunctionSources()
  for (const path of ['dist/app', ...copied, ...listDocuments(), ...listImportMaps(), ...files]) {
    mkdirSync(dirname(join(staging, path)), { recursive: true })
    cpSync(join(root, path), join(staging, path), { recursive: true })
  }
  writeFileSync(join(staging, 'THIRD-PARTY-NOTICES.txt'), renderNotices())
  const { name, version, description, license, engines, optionalDependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const manifest = {
    name,
    version,
    description,
    license,
    type: 'module',
    bin: { linnet: command },
    files: ['*'],
    engines,
    dependencies: listDependencies(join(staging, 'dist'), packages),
    optionalDependencies,
  }
  writeFileSync(join(staging, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  setModes(staging)
}

/** Gives every file the same mode, whatever the umask: each user has to read the package, and the tarball contains the modes. */
function setModes(/** @type {string} */ staging) {
  for (const entry of readdirSync(staging, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) chmodSync(join(entry.parentPath, entry.name), 0o644)
  chmodSync(join(staging, command), 0o755)
}

/**
 * Builds the package that is published and writes it to a directory as a tarball. The same sources result in the same bytes.
 * @param {string} outDir
 * @returns the tarball, its size, and the size of its content
 */
export async function createPackage(outDir) {
  mkdirSync(join(root, 'dist'), { recursive: true })
  const staging = mkdtempSync(join(root, 'dist', 'package-'))
  try {
    await stagePackage(staging)
    mkdirSync(outDir, { recursive: true })
    const { status, stdout } = spawnSync(
      'npm',
      ['pack', staging, '--pack-destination', outDir, '--json', '--ignore-scripts', '--loglevel=error'],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 2], maxBuffer: 2 ** 26 },
    )
    if (status !== 0) fail('npm could not create the package: see the error above.')
    const [{ filename, size, unpackedSize }] = JSON.parse(stdout)
    return { file: join(outDir, filename), size, unpackedSize }
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}
