import { useSyncExternalStore } from 'react'
import { sessionEmitter, getClientSession } from '../session/clientSession.ts'
import type { ClientSession } from '../session/clientSession.ts'

/**
 * Reads a value of the client session and renders again when it changes. `select` must return the identical value
 * until the selected data change. Otherwise each change of the session renders the component.
 */
export function useClientSession<T>(select: (session: ClientSession | null) => T): T {
  return useSyncExternalStore(sessionEmitter.subscribe, () => select(getClientSession()))
}
