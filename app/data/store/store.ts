import { applyEvent } from './applyEvent.ts'
import type { SyncEvent } from './syncEvents.ts'
import { emptyState } from './state.ts'
import type { State } from './state.ts'

export interface Store {
  get: () => State
  /** Applies the event. It notifies listeners only if a row changed. */
  dispatch: (event: SyncEvent) => void
  subscribe: (listener: () => void) => () => void
  /** Subscribes to events after they were applied, including those about rows that are not loaded. */
  watch: (watcher: (event: SyncEvent) => void) => () => void
  /** Clears everything, at sign-out. */
  clear: () => void
}

/**
 * Creates the store, which holds the rows of one workspace. Only the property test replaces `reduce`, to inject
 * defects.
 */
export function createStore(reduce: typeof applyEvent = applyEvent): Store {
  let state = emptyState
  const listeners = new Set<() => void>()
  const watchers = new Set<(event: SyncEvent) => void>()
  const replace = (next: State) => {
    if (next === state) return
    state = next
    for (const listener of listeners) listener()
  }
  return {
    get: () => state,
    dispatch: (event) => {
      replace(reduce(state, event))
      for (const watcher of watchers) watcher(event)
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    watch: (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    clear: () => replace(emptyState),
  }
}
