import { applyEvent } from './applyEvent.ts'
import type { SyncEvent } from './syncEvents.ts'
import { emptyState } from './state.ts'
import type { State } from './state.ts'

export interface Store {
  get: () => State
  /** Applies the event; listeners hear of it only when something changed. */
  dispatch: (event: SyncEvent) => void
  subscribe: (listener: () => void) => () => void
  /** Hears each event after it was applied: of what is not held nothing else tells. */
  watch: (watcher: (event: SyncEvent) => void) => () => void
  /** Forgets everything, at sign-out. */
  clear: () => void
}

/** Holds the rows. `reduce` is replaced only by the law, to show that it would notice a wrong one. */
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
