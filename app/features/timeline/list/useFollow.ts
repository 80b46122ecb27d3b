import { useCallback, useEffect, useLayoutEffect, useRef, type RefObject } from 'react'
import type { VirtualizerHandle } from 'virtua'
import type { Row } from '../timelineRows.ts'
import { listGeometry } from './listGeometry.ts'

/** This near the end (px) the list follows what arrives. */
const AT_END = 40

interface Follow {
  /** Whether what arrives at the end is shown. */
  followsRef: RefObject<boolean>
  toEnd: () => void
  /** Looks whether the reader is at the end; answers so. */
  look: (area: HTMLElement, list: VirtualizerHandle, hasAfter: boolean) => boolean
}

/**
 * Keeps the end in view while the reader is there. One's own new words are always shown; others' only to those who
 * are at the end, and not in a hidden tab: whoever comes back finds the place where reading stopped.
 */
export function useFollow(
  listRef: RefObject<VirtualizerHandle | null>,
  scrollerRef: RefObject<HTMLDivElement | null>,
  rows: Row[],
): Follow {
  const followsRef = useRef(true)
  const topRef = useRef(0)
  const lastId = rows.at(-1)?.id ?? null
  const ownPending = rows.at(-1)?.item.kind === 'pending' ? lastId : null

  const toEnd = useCallback(() => {
    const area = scrollerRef.current
    const list = listRef.current
    // Rounded up, so that the end is reached on screens with fractions of a pixel; browsers clamp the excess.
    if (area && list) area.scrollTop = Math.ceil(area.scrollTop + listGeometry(area, list).toEnd)
  }, [listRef, scrollerRef])

  const look = useCallback(
    (area: HTMLElement, list: VirtualizerHandle, hasAfter: boolean) => {
      const { top, toEnd: left } = listGeometry(area, list)
      const wentUp = top < topRef.current - 1
      topRef.current = top
      // What grows below, before it is caught up with, is no reader who left: only going up leaves the end.
      if (left < AT_END && !hasAfter) followsRef.current = true
      else if (wentUp || hasAfter) followsRef.current = false
      // The view is short of the end or past it because the virtualiser corrected positions late. Past the end but
      // outside the scroll range, the browser is showing its own overscroll effect and returns by itself.
      const isPastEnd = left < -1 && area.scrollTop + area.clientHeight <= area.scrollHeight
      if (followsRef.current && (left >= AT_END || isPastEnd)) toEnd()
      return followsRef.current
    },
    [toEnd],
  )

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
