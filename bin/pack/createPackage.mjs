import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildServer, ensureApp, fail, root } from '../setup.mjs'
import { renderNotices } from '../setup/renderNotices.mjs'
import { listFunctionSources } from './listFunctionSources.mjs'
import { listDependencies } from './runtimePackages.mjs'

/** The directory in which the content of the package is put together. */
const staging = join(root, 'dist/package')

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
  'supabase/config.toml',
  'supabase/linnet.toml',
  'supabase/seed.sql',
  'supabase/demo',
  'supabase/migrations',
  'supabase/templates',
]

function copyToStaging(/** @type {string} */ path) {
  mkdirSync(dirname(join(staging, path)), { recursive: true })
  cpSync(join(root, path), join(staging, path), { recursive: true })
}

/** Builds everything and writes the content of the package to `dist/package`. */
async function stagePackage() {
  await ensureApp()
  rmSync(staging, { recursive: true, force: true })
  await buildServer(join(staging, 'dist'))
  // Stack traces of the server name the built files, which are not minified.
  for (const name of readdirSync(join(staging, 'dist')))
    if (name.endsWith('.map')) rmSync(join(staging, 'dist', name))
  copyToStaging('dist/app')
  for (const path of copied) copyToStaging(path)
  for (const name of readdirSync(join(root, 'docs')))
    if (name.endsWith('.md')) copyToStaging(join('docs', name))
  const { files, packages } = await listFunctionSources()
  for (const path of files) copyToStaging(path)
  for (const name of readdirSync(join(root, 'supabase/functions'), { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('deno.json')) copyToStaging(join('supabase/functions', name))
  chmodSync(join(staging, command), 0o755)
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
}

/**
 * Builds the package that is published and writes it to a directory as a tarball. The same sources result in the same bytes.
 * @param {string} outDir
 * @returns the tarball, its size, and the size of its content
 */
export async function createPackage(outDir) {
  await stagePackage()
  mkdirSync(outDir, { recursive: true })
  const { status, stdout } = spawnSync(
    'npm',
    ['pack', staging, '--pack-destination', outDir, '--json', '--ignore-scripts', '--loglevel=error'],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 2], maxBuffer: 2 ** 26 },
  )
  if (status !== 0) fail('npm could not create the package: see the error above.')
  const [{ filename, size, unpackedSize }] = JSON.parse(stdout)
  return { file: join(outDir, filename), size, unpackedSize }
}
