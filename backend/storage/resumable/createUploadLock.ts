import { errors } from '../errors.ts'

/** Only one request at a time changes an upload; a later one requests the current one to release the lock. */
export interface UploadLock {
  isHeld(): boolean
  /**
   * Resolves with a function that releases the lock. `requestRelease` is called when another request waits for it,
   * perhaps at once. Throws ResourceLocked where the holder does not release it in time.
   */
  acquire(requestRelease: () => void): Promise<() => void>
}

/** @param timeoutMs milliseconds to wait for the holder; by default five seconds, as upstream */
export function createUploadLock(timeoutMs = 5_000): UploadLock {
  let holder: (() => void) | null = null
  const waiting: { requestRelease: () => void; start: () => void }[] = []

  const grant = (requestRelease: () => void): (() => void) => {
    holder = requestRelease
    // Requests that still wait need the new holder to release it too.
    if (waiting.length > 0) requestRelease()
    let isHolding = true
    return () => {
      if (!isHolding) return
      isHolding = false
      holder = null
      waiting.shift()?.start()
    }
  }

  return {
    isHeld: () => holder !== null,
    acquire(requestRelease) {
      if (holder === null) return Promise.resolve(grant(requestRelease))
      holder()
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(waiter), 1)
          reject(errors.resourceLocked())
        }, timeoutMs)
        const waiter = {
          requestRelease,
          start: () => {
            clearTimeout(timer)
            resolve(grant(requestRelease))
          },
        }
        waiting.push(waiter)
      })
    },
  }
}
