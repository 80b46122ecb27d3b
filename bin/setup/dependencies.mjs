import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail, readIfExists, requireWritable, root } from './checkout.mjs'
import { runStep } from './runStep.mjs'
import { takeLock } from './takeLock.mjs'

/**
 * Installs the locked dependencies if they are missing or belong to another lock file. A file in node_modules contains the
 * hash of their lock file.
 */
export async function ensureDependencies() {
  const expected = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  const mark = join(root, 'node_modules', '.linnet-lock')
  if (readIfExists(mark) === expected) return
  requireWritable()
  // Two concurrent installations would delete each other's files.
  const unlock = takeLock(join(root, '.installing'), 'is installing the dependencies')
  if (readIfExists(mark) !== expected) {
    await installDependencies()
    writeFileSync(mark, expected)
  }
  // Unlocked here, as this process may continue to run as a server.
  unlock()
}

async function installDependencies() {
  const options = ['--no-audit', '--no-fund', '--loglevel=error', '--include=dev']
  if (await runStep('Installing packages', 'npm', ['ci', ...options])) return
  fail('The packages could not be installed: the output of npm is above. Fix the problem and start again.')
}
