import type { Failure } from './failures.ts'

type Listener = (failure: Failure) => void

const listeners = new Set<Listener>()
const unreported: Failure[] = []

/** Reports that a change shown optimistically was not saved, or is not stored on this device. */
export function reportError(failure: Failure): void {
  if (listeners.size === 0) unreported.push(failure)
  for (const listener of listeners) listener(failure)
}

/** Subscribes to errors of background work; delivers those that were reported before. */
export function onError(listener: Listener): () => void {
  listeners.add(listener)
  for (const failure of unreported.splice(0)) listener(failure)
  return () => listeners.delete(listener)
}

/** Reports an exception after which background work continues, as the browser reports an uncaught one. */
export function reportException(error: unknown): void {
  const { reportError: report } = globalThis as { reportError?: (error: unknown) => void }
  if (report) report(error)
  else
    queueMicrotask(() => {
      throw error
    })
}
