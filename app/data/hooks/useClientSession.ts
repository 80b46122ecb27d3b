import { useSyncExternalStore } from 'react'
import { hub, running } from '../session/clientSession.ts'
import type { Running } from '../session/clientSession.ts'

/**
 * Reads something of what runs, and follows it. `select` must answer the same value (by identity) while
 * nothing that it shows has changed: that is what spares the others a render.
 */
export function useRunning<T>(select: (running: Running | null) => T): T {
  return useSyncExternalStore(hub.subscribe, () => select(running()))
}
