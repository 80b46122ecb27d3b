import { useSyncExternalStore } from 'react'

/** What of a list is in view: the numbers of the uppermost and the lowest row, and the day of the uppermost. */
interface Spot {
  top: number
  bottom: number
  day: string | null
  atEnd: boolean
}

/** Holds where a list stands, apart from the list: scrolling renders what shows it, not the rows. */
export interface SpotStore {
  get: () => Spot
  set: (spot: Spot) => void
  subscribe: (listener: () => void) => () => void
}

export function createSpot(): SpotStore {
  let spot: Spot = { top: 0, bottom: 0, day: null, atEnd: true }
  const listeners = new Set<() => void>()
  return {
    get: () => spot,
    set: (next) => {
      const same =
        next.top === spot.top &&
        next.bottom === spot.bottom &&
        next.day === spot.day &&
        next.atEnd === spot.atEnd
      if (same) return
      spot = next
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Where the list stands, as it changes. */
export function useSpot(store: SpotStore): Spot {
  return useSyncExternalStore(store.subscribe, store.get)
}
