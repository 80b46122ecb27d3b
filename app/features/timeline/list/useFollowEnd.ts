import { useCallback, useEffect, useLayoutEffect, useRef, type RefObject } from 'react'
import type { VirtualizerHandle } from 'virtua'
import type { Row } from '../timelineRows.ts'
import { listGeometry } from './listGeometry.ts'

/** This near the end (px) the list follows what arrives. */
const AT_END_PX = 40

interface FollowEnd {
  /** Whether what arrives at the end is shown. */
  followsRef: RefObject<boolean>
  toEnd: () => void
  /** Looks whether the reader is at the end; answers so. */
  updateFollowing: (area: HTMLElement, list: VirtualizerHandle, hasAfter: boolean) => boolean
}

/**
 * Keeps the end in view while the reader is there. One's own new words are always shown; others' only to those who
 * are at the end, and not in a hidden tab: whoever comes back finds the place where reading stopped.
 */
export function useFollowEnd(
  listRef: RefObject<VirtualizerHandle | null>,
  scrollerRef: RefObject<HTMLDivElement | null>,
  rows: Row[],
): FollowEnd {
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

  const updateFollowing = useCallback(
    (area: HTMLElement, list: VirtualizerHandle, hasAfter: boolean) => {
      const { top, toEnd: distance } = listGeometry(area, list)
      const hasScrolledUp = top < topRef.current - 1
      topRef.current = top
      // What grows below, before it is caught up with, is no reader who left: only going up leaves the end.
      if (distance < AT_END_PX && !hasAfter) followsRef.current = true
      else if (hasScrolledUp || hasAfter) followsRef.current = false
      // The view is short of the end or past it because the virtualiser corrected positions late. Past the end but
      // outside the scroll range, the browser is showing its own overscroll effect and returns by itself.
      const isPastEnd = distance < -1 && area.scrollTop + area.clientHeight <= area.scrollHeight
      if (followsRef.current && (distance >= AT_END_PX || isPastEnd)) toEnd()
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
    const observer = new ResizeObserver(() => {
      if (followsRef.current) toEnd()
    })
    observer.observe(area)
    const content = area.lastElementChild
    if (content) observer.observe(content)
    return () => observer.disconnect()
  }, [scrollerRef, toEnd])

  return { followsRef, toEnd, updateFollowing }
}
