import { linkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { print, readIfExists, root } from './checkout.mjs'
import { isAlive } from './isAlive.mjs'

/**
 * Locks node_modules and returns a function that unlocks it: two concurrent installations would delete each other's files.
 * Waits while another process has the lock.
 */
export function lockInstallation() {
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
