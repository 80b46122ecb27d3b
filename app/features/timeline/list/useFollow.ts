import { useCallback, useEffect, useLayoutEffect, useRef, type RefObject } from 'react'
import type { Row } from '../timelineRows.ts'

/** This near the end (px) the list follows what arrives. */
const AT_END = 40

interface Follow {
  /** Whether what arrives at the end is shown. */
  followsRef: RefObject<boolean>
  toEnd: () => void
  /** Looks whether the reader is at the end; answers so. */
  look: (area: HTMLElement, hasAfter: boolean) => boolean
}

/**
 * Keeps the end in view while the reader is there. One's own new words are always shown; others' only to those who
 * are at the end, and not in a hidden tab: whoever comes back finds the place where reading stopped.
 */
export function useFollow(scrollerRef: RefObject<HTMLDivElement | null>, rows: Row[]): Follow {
  const followsRef = useRef(true)
  const topRef = useRef(0)
  const lastId = rows.at(-1)?.id ?? null
  const ownPending = rows.at(-1)?.item.kind === 'pending' ? lastId : null

  const toEnd = useCallback(() => {
    const area = scrollerRef.current
    if (area) area.scrollTop = area.scrollHeight
  }, [scrollerRef])

  const look = useCallback((area: HTMLElement, hasAfter: boolean) => {
    const left = area.scrollHeight - area.scrollTop - area.clientHeight
    const wentUp = area.scrollTop < topRef.current - 1
    topRef.current = area.scrollTop
    // What grows below, before it is caught up with, is no reader who left: only going up leaves the end.
    if (left < AT_END && !hasAfter) followsRef.current = true
    else if (wentUp || hasAfter) followsRef.current = false
    return followsRef.current
  }, [])

  useLayoutEffect(() => {
    if (lastId === null) return
    if (ownPending) followsRef.current = true
    else if (document.visibilityState === 'hidden') followsRef.current = false
    if (followsRef.current) toEnd()
  }, [ownPending, lastId, toEnd])

  // The list's own box changes with the composer, the window and the keyboard of a phone.
  useEffect(() => {
    const area = scrollerRef.current
    if (!area) return
    const watch = new ResizeObserver(() => {
      if (followsRef.current) toEnd()
    })
    watch.observe(area)
    const content = area.lastElementChild
    if (content) watch.observe(content)
    return () => watch.disconnect()
  }, [scrollerRef, toEnd])

  return { followsRef, toEnd, look }
}
