import type { Uuid } from '../../../../wire/scalars.ts'

/** Progress of an upload, of this tab or the leader. */
export interface Progress {
  /** Bytes. */
  sent: number
  isRunning: boolean
}

// Apart from the outbox, so that progress renders only its bar, and no list.
const known = new Map<Uuid, Progress>()
const listeners = new Map<Uuid, Set<() => void>>()

export function progressOf(file: Uuid): Progress | undefined {
  return known.get(file)
}

export function setProgress(file: Uuid, progress: Progress): void {
  known.set(file, progress)
  for (const listener of listeners.get(file) ?? []) listener()
}

/** Subscribes to the progress of one file. */
export function onProgress(file: Uuid, listener: () => void): () => void {
  const ofFile = listeners.get(file) ?? new Set()
  listeners.set(file, ofFile.add(listener))
  return () => {
    ofFile.delete(listener)
    if (ofFile.size === 0) listeners.delete(file)
  }
}
