export interface Emitter {
  emit: () => void
  subscribe: (listener: () => void) => () => void
}

/** Tells hooks that something may have changed; each compares what it shows by identity. */
export function createEmitter(): Emitter {
  const listeners = new Set<() => void>()
  return {
    emit: () => {
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
