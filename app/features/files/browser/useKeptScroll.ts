import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react'

/** Milliseconds without scrolling after which the place is noted: browsers take only so many notes. */
const PAUSE = 150

/**
 * Notes in the entry of the browser's history how far one has scrolled, so that the way back leads to the same place.
 * @param list what is listed: another one begins where its own entry says, a new one at the top
 * @param ready whether there is enough drawn to scroll to
 */
export function useKeptScroll(list: string, ready: boolean): RefObject<HTMLDivElement | null> {
  const scroller = useRef<HTMLDivElement>(null)
  const placed = useRef('')
  useLayoutEffect(() => {
    if (!ready || placed.current === list || !scroller.current) return
    placed.current = list
    scroller.current.scrollTop = (history.state as { files?: number } | null)?.files ?? 0
  }, [list, ready])
  useEffect(() => {
    const element = scroller.current
    let timer = 0
    const note = () => {
      clearTimeout(timer)
      timer = window.setTimeout(() => {
        const files = Math.round(element?.scrollTop ?? 0)
        history.replaceState({ ...(history.state as object | null), files }, '')
      }, PAUSE)
    }
    element?.addEventListener('scroll', note, { passive: true })
    return () => {
      clearTimeout(timer)
      element?.removeEventListener('scroll', note)
    }
  }, [])
  return scroller
}
