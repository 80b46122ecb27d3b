import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react'
import { changeEntryState, readEntryState } from '../historyState.ts'

/** Milliseconds without scrolling until the position is stored: browsers limit changes of the history. */
const SAVE_AFTER_MS = 150

/**
 * Stores the scroll position in the entry of the browser's history and restores it when the reader goes back.
 * @param list identifies the list: each one has its own position, a new one begins at the top
 * @param ready whether enough is rendered to scroll
 */
export function useScrollRestoration(list: string, ready: boolean): RefObject<HTMLDivElement | null> {
  const scroller = useRef<HTMLDivElement>(null)
  const restoredList = useRef('')
  useLayoutEffect(() => {
    if (!ready || restoredList.current === list || !scroller.current) return
    restoredList.current = list
    scroller.current.scrollTop = readEntryState().scrollTop ?? 0
  }, [list, ready])
  useEffect(() => {
    const element = scroller.current
    let timer = 0
    const savePosition = () => {
      clearTimeout(timer)
      const scrollTop = Math.round(element?.scrollTop ?? 0)
      if (scrollTop !== (readEntryState().scrollTop ?? 0)) changeEntryState({ scrollTop })
    }
    const saveSoon = () => {
      clearTimeout(timer)
      timer = window.setTimeout(savePosition, SAVE_AFTER_MS)
    }
    element?.addEventListener('scroll', saveSoon, { passive: true })
    // A link that is pressed sooner leads to another entry.
    element?.addEventListener('click', savePosition, { capture: true })
    return () => {
      clearTimeout(timer)
      element?.removeEventListener('scroll', saveSoon)
      element?.removeEventListener('click', savePosition, { capture: true })
    }
  }, [])
  return scroller
}
