import { failures } from '../failures.ts'

/** One request at a time works on an upload; who comes later asks the one at work to let go. */
export interface UploadLock {
  isHeld(): boolean
  /**
   * Resolves with what gives the lock back. `letGo` is called once someone else wants it, perhaps at once.
   * Throws ResourceLocked where the holder does not let go in time.
   */
  acquire(letGo: () => void): Promise<() => void>
}

/** @param patience milliseconds to wait for the holder; upstream's five seconds unless said */
export function createUploadLock(patience = 5_000): UploadLock {
  let holder: (() => void) | null = null
  const waiting: { letGo: () => void; start: () => void }[] = []

  const hold = (letGo: () => void): (() => void) => {
    holder = letGo
    // Those who wait still want it from the new holder.
    if (waiting.length > 0) letGo()
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
    acquire(letGo) {
      if (holder === null) return Promise.resolve(hold(letGo))
      holder()
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(waiter), 1)
          reject(failures.resourceLocked())
        }, patience)
        const waiter = {
          letGo,
          start: () => {
            clearTimeout(timer)
            resolve(hold(letGo))
          },
        }
        waiting.push(waiter)
      })
    },
  }
}
