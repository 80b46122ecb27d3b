import { useSyncExternalStore } from 'react'

/** What is in view: the numbers of the first and last row, and the day of the first. */
interface VisibleRange {
  top: number
  bottom: number
  day: string | null
  atEnd: boolean
}

/** A store apart from the list's state: scrolling renders only the components that show it, not the rows. */
export interface VisibleRangeStore {
  get: () => VisibleRange
  set: (visibleRange: VisibleRange) => void
  subscribe: (listener: () => void) => () => void
}

export function createVisibleRangeStore(): VisibleRangeStore {
  let visibleRange: VisibleRange = { top: 0, bottom: 0, day: null, atEnd: true }
  const listeners = new Set<() => void>()
  return {
    get: () => visibleRange,
    set: (next) => {
      const same =
        next.top === visibleRange.top &&
        next.bottom === visibleRange.bottom &&
        next.day === visibleRange.day &&
        next.atEnd === visibleRange.atEnd
      if (same) return
      visibleRange = next
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Subscribes to the visible range. */
export function useVisibleRange(store: VisibleRangeStore): VisibleRange {
  return useSyncExternalStore(store.subscribe, store.get)
}
