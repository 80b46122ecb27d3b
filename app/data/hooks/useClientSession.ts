import { useSyncExternalStore } from 'react'
import { sessionEmitter, getClientSession } from '../session/clientSession.ts'
import type { ClientSession } from '../session/clientSession.ts'

/**
 * Reads something of what runs, and follows it. `select` must answer the same value (by identity) while
 * nothing that it shows has changed: that is what spares the others a render.
 */
export function useClientSession<T>(select: (running: ClientSession | null) => T): T {
  return useSyncExternalStore(sessionEmitter.subscribe, () => select(getClientSession()))
}
