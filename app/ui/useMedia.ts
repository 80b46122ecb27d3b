import { useSyncExternalStore } from 'react'

/** Whether a media query holds now. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const list = matchMedia(query)
      list.addEventListener('change', changed)
      return () => list.removeEventListener('change', changed)
    },
    () => matchMedia(query).matches,
  )
}

/** One pane at a time. */
export const PHONE = '(max-width: 47.9375em)'
/** Room for a third column. */
export const WIDE = '(min-width: 70em)'
