import { useCallback, useEffect, useLayoutEffect, useRef, type RefObject } from 'react'
import type { VirtualizerHandle } from 'virtua'
import type { Row } from '../timelineRows.ts'
import { listGeometry } from './listGeometry.ts'

/** Within this distance (px) of the end the list follows new messages. */
const AT_END_PX = 40

interface FollowEnd {
  /** Whether new messages at the end are scrolled into view. */
  followsRef: RefObject<boolean>
  toEnd: () => void
  /** Updates whether the reader is at the end, and returns it. */
  updateFollowing: (area: HTMLElement, list: VirtualizerHandle, hasAfter: boolean) => boolean
}

/**
 * Keeps the end in view while the reader is there. Own new messages are always shown; others' only while the reader
 * is at the end and the tab is visible, so that a returning reader finds where they stopped.
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
    // Rounded up, so that the end is reached on screens with fractional pixels; browsers clamp the excess.
    if (area && list) area.scrollTop = Math.ceil(area.scrollTop + listGeometry(area, list).toEnd)
  }, [listRef, scrollerRef])

  const updateFollowing = useCallback(
    (area: HTMLElement, list: VirtualizerHandle, hasAfter: boolean) => {
      const { top, toEnd: distance } = listGeometry(area, list)
      const hasScrolledUp = top < topRef.current - 1
      topRef.current = top
      // Content that grows below before the list has followed is no scroll by the reader: only scrolling up leaves
      // the end.
      if (distance < AT_END_PX && !hasAfter) followsRef.current = true
      else if (hasScrolledUp || hasAfter) followsRef.current = false
      // The view is short of the end or past it because the virtualizer corrected positions late. Past the end but
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

  // The height of the list changes with the composer, the window and the on-screen keyboard.
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
