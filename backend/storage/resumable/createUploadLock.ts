import { errors } from '../errors.ts'

/** One request at a time works on an upload; who comes later asks the one at work to let go. */
export interface UploadLock {
  isHeld(): boolean
  /**
   * Resolves with what gives the lock back. `requestRelease` is called once someone else wants it, perhaps at once.
   * Throws ResourceLocked where the holder does not let go in time.
   */
  acquire(requestRelease: () => void): Promise<() => void>
}

/** @param timeoutMs milliseconds to wait for the holder; upstream's five seconds unless said */
export function createUploadLock(timeoutMs = 5_000): UploadLock {
  let holder: (() => void) | null = null
  const waiting: { requestRelease: () => void; start: () => void }[] = []

  const grant = (requestRelease: () => void): (() => void) => {
    holder = requestRelease
    // Those who wait still want it from the new holder.
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
