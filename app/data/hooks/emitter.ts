export interface Hub {
  tell: () => void
  subscribe: (listener: () => void) => () => void
}

/** Tells hooks that something may have changed; each compares what it shows by identity. */
export function createHub(): Hub {
  const listeners = new Set<() => void>()
  return {
    tell: () => {
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
