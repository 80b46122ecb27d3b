import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail, print, readIfExists, requireWritable, root } from './checkout.mjs'
import { takeLock } from './takeLock.mjs'

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
  // Two concurrent installations would delete each other's files.
  const unlock = takeLock(join(root, '.installing'), 'is installing the dependencies')
  if (readIfExists(mark) !== expected) {
    installDependencies()
    writeFileSync(mark, expected)
  }
  // Unlocked here, as this process may continue to run as a server.
  unlock()
}

function installDependencies() {
  print('Installing dependencies…')
  const options = ['--no-audit', '--no-fund', '--loglevel=error', '--include=dev']
  const { status } = spawnSync('npm', ['ci', ...options], { cwd: root, stdio: ['ignore', 2, 2] })
  if (status === 0) return
  fail(
    'The dependencies could not be installed: see the output of npm above. Fix the problem and start again.',
  )
}
