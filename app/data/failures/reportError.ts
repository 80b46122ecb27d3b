import type { Failure } from './failures.ts'

type Listener = (failure: Failure) => void

const listeners = new Set<Listener>()
const unreported: Failure[] = []

/** Something that was done here and shown will not be, or not outlive this page: told once, wherever one is. */
export function reportError(failure: Failure): void {
  if (listeners.size === 0) unreported.push(failure)
  for (const listener of listeners) listener(failure)
}

/** Hears what went wrong behind the reader's back, also before anybody listened. */
export function onError(listener: Listener): () => void {
  listeners.add(listener)
  for (const failure of unreported.splice(0)) listener(failure)
  return () => listeners.delete(listener)
}
