import type { Browser } from './leadership.ts'

export interface TabLocks {
  /** Resolves when the tab has ended, also by a crash; never without Web Locks, or after `stop`. */
  ended: (tab: string) => Promise<void>
  stop: () => void
}

/** Each tab holds a lock of its own, which the browser releases when the tab ends. */
export function createTabLocks(name: string, tab: string, locks: Browser['locks']): TabLocks {
  const stopped = new AbortController()
  const { signal } = stopped
  const lockOf = (one: string) => `${name}/${one}`
  const untilStopped = () => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  locks?.request(lockOf(tab), { signal }, untilStopped).catch(() => {})
  return {
    ended: (other) =>
      new Promise((resolve) => {
        locks?.request(lockOf(other), { signal }, async () => resolve()).catch(() => {})
      }),
    stop: () => stopped.abort(),
  }
}
