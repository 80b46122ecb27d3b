import { linkSync, rmSync, writeFileSync } from 'node:fs'
import { print, readIfExists } from './checkout.mjs'
import { isAlive } from './isAlive.mjs'

/**
 * Takes a lock, which is a file with the id of this process, and returns a function that releases it. Waits while another
 * process has it; the lock of a process that has ended is removed.
 * @param {string} lock path of the file
 * @param {string} action what the other process does, for the message
 */
export function takeLock(lock, action) {
  const ownFile = `${lock}.${process.pid}`
  writeFileSync(ownFile, String(process.pid))
  for (let isWaiting = false; ;) {
    try {
      // A hard link appears with its content: a lock always contains its process id.
      linkSync(ownFile, lock)
      break
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
    const holder = readIfExists(lock)
    if (holder !== '' && !isAlive(Number(holder))) rmSync(lock, { force: true })
    else {
      if (!isWaiting) print(`Process ${holder} ${action}; waiting for it…`)
      isWaiting = true
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
    }
  }
  rmSync(ownFile)
  const release = () => rmSync(lock, { force: true })
  process.once('exit', release)
  return () => {
    process.off('exit', release)
    release()
  }
}
