export interface Emitter {
  emit: () => void
  subscribe: (listener: () => void) => () => void
}

/** Notifies hooks that something may have changed; each compares its result by identity. */
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
