import type { Uuid } from '../../../../wire/linnet.ts'

/** How far an upload is, in this tab or in the one that leads. */
export interface Progress {
  /** Bytes. */
  sent: number
  going: boolean
}

// Apart from the outbox: a byte more is a bar drawn anew, never a list.
const known = new Map<Uuid, Progress>()
const listeners = new Map<Uuid, Set<() => void>>()

export function progressOf(file: Uuid): Progress | undefined {
  return known.get(file)
}

export function setProgress(file: Uuid, progress: Progress): void {
  known.set(file, progress)
  for (const listener of listeners.get(file) ?? []) listener()
}

/** Hears of one file. */
export function onProgress(file: Uuid, listener: () => void): () => void {
  const heard = listeners.get(file) ?? new Set()
  listeners.set(file, heard.add(listener))
  return () => {
    heard.delete(listener)
    if (heard.size === 0) listeners.delete(file)
  }
}
