import { useSyncExternalStore } from 'react'

const KEY = 'linnet.playback-rate'
const RATES = [1, 1.5, 2]

const listeners = new Set<() => void>()
let rate: number | null = null

function read(): number {
  if (rate === null) {
    let stored = 1
    try {
      stored = Number(localStorage.getItem(KEY))
    } catch {
      // Without storage the rate applies until the page is closed.
    }
    rate = RATES.includes(stored) ? stored : 1
  }
  return rate
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The playback rate of voice messages on this device, and a function that chooses the next one: 1, 1.5 or 2. */
export function usePlaybackRate(): [rate: number, next: () => void] {
  const current = useSyncExternalStore(subscribe, read)
  return [
    current,
    () => {
      rate = RATES[(RATES.indexOf(current) + 1) % RATES.length] ?? 1
      try {
        localStorage.setItem(KEY, String(rate))
      } catch {
        // As above.
      }
      for (const listener of listeners) listener()
    },
  ]
}
