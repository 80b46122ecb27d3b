import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react'

/** Milliseconds without scrolling after which the place is noted: browsers take only so many notes. */
const SAVE_AFTER_MS = 150

/**
 * Notes in the entry of the browser's history how far one has scrolled, so that the way back leads to the same place.
 * @param list what is listed: another one begins where its own entry says, a new one at the top
 * @param ready whether there is enough drawn to scroll to
 */
export function useScrollRestoration(list: string, ready: boolean): RefObject<HTMLDivElement | null> {
  const scroller = useRef<HTMLDivElement>(null)
  const restoredList = useRef('')
  useLayoutEffect(() => {
    if (!ready || restoredList.current === list || !scroller.current) return
    restoredList.current = list
    scroller.current.scrollTop = (history.state as { files?: number } | null)?.files ?? 0
  }, [list, ready])
  useEffect(() => {
    const element = scroller.current
    let timer = 0
    const savePosition = () => {
      clearTimeout(timer)
      timer = window.setTimeout(() => {
        const files = Math.round(element?.scrollTop ?? 0)
        history.replaceState({ ...(history.state as object | null), files }, '')
      }, SAVE_AFTER_MS)
    }
    element?.addEventListener('scroll', savePosition, { passive: true })
    return () => {
      clearTimeout(timer)
      element?.removeEventListener('scroll', savePosition)
    }
  }, [])
  return scroller
}
