import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/**
 * Builds the package that is published, and writes it to `folder`. Returns the path of the tarball. The umask denies other users
 * everything, and the package must not depend on it.
 */
export async function createTarball(folder: string): Promise<string> {
  const { stdout } = await run('sh', [
    '-c',
    'umask 077 && exec "$@"',
    'sh',
    process.execPath,
    join(root, 'bin/pack.mjs'),
    folder,
  ])
  return stdout.trim()
}

/** Installs the package from a tarball into a new empty folder outside of the checkout. `remove` deletes the folder. */
export async function installTarball(
  tarball: string,
): Promise<{ folder: string; command: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'linnet-package-'))
  // Started as root, PostgreSQL runs as another user, who needs access.
  chmodSync(folder, 0o755)
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  await run('npm', ['install', '--prefix', folder, ...options, tarball], { cwd: folder })
  return {
    folder,
    command: join(folder, 'node_modules/.bin/linnet'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
