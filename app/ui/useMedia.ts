import { useSyncExternalStore } from 'react'

/** Whether a media query matches. */
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

/** Single-pane layout. */
export const PHONE = '(max-width: 47.9375em)'
/** Too narrow for a column of links between the sidebar and a page. */
export const NARROW = '(max-width: 63.9375em)'
/** Enough width for a third column. */
export const WIDE = '(min-width: 62.5em)'
/** Without a keyboard that has Shift: Enter makes a line, and a button sends. */
export const TOUCH = '(hover: none) and (pointer: coarse)'
/** A phone, rather than a narrow window. */
export const TOUCH_PHONE = `${PHONE} and ${TOUCH}`
/** A phone in either orientation. In landscape it is as wide as a tablet, whose height a keyboard may reduce as much. */
export const ANY_TOUCH_PHONE = `${TOUCH_PHONE}, (max-width: 60em) and (max-height: 30em) and ${TOUCH}`
