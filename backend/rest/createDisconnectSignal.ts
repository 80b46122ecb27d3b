import type { ServerResponse } from 'node:http'
import type { CancelSignal } from '../postgres/connections/pool.ts'

/**
 * Aborts when the client closes the connection before the response is complete. Like the signal of a Request, whose
 * creation and listeners take a fifteenth of the time that Node needs for a small request.
 */
export function createDisconnectSignal(outgoing: ServerResponse): CancelSignal {
  const isAborted = (): boolean => outgoing.closed && !outgoing.writableFinished
  const newReason = (): Error => new DOMException('The client closed the connection.', 'AbortError')
  return {
    get reason() {
      return newReason()
    },
    throwIfAborted() {
      if (isAborted()) throw newReason()
    },
    addEventListener: (_type, listener) => void outgoing.once('close', listener),
    removeEventListener: (_type, listener) => void outgoing.off('close', listener),
  }
}
