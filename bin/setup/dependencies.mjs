import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail, print, readIfExists, requireWritable, root } from './checkout.mjs'
import { lockInstallation } from './installationLock.mjs'

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
