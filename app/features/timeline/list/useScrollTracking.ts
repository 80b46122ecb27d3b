import { useCallback, useEffect, type RefObject } from 'react'
import type { VirtualizerHandle } from 'virtua'
import type { ListProps } from './ListProps.ts'
import { onAttention } from '../readTracking/attention.ts'
import { numberOf } from '../readTracking/rowNumbers.ts'
import { useReadTracking } from '../readTracking/useReadTracking.ts'
import { createdAt } from '../timelineRows.ts'
import { saveScrollPosition } from './scrollPositions.ts'
import { listGeometry } from './listGeometry.ts'
import type { VisibleRangeStore } from './visibleRange.ts'

/** Within this distance (px) of an edge the next page is requested. */
const NEAR_EDGE_PX = 2_400
/** Part of a row (or of the view, if the row is higher) that must be visible to count as seen. */
const SEEN_RATIO = 0.7

interface Options extends ListProps {
  listRef: RefObject<VirtualizerHandle | null>
  scrollerRef: RefObject<HTMLDivElement | null>
  /** Number of elements before the first row. */
  leadingCount: number
  /** While the list opens, its position is not yet the reader's. */
  isOpeningRef: RefObject<boolean>
  isOpening: boolean
  updateFollowing: (area: HTMLElement, list: VirtualizerHandle, hasAfter: boolean) => boolean
  visibleRange: VisibleRangeStore
}

/**
 * Runs after each scroll and each change: requests the next page, stores the scroll position, and tracks which
 * messages have been seen.
 */
export function useScrollTracking(options: Options): {
  onViewChange: (scrolled?: boolean) => void
  inView: () => [number, number]
} {
  const { listRef, scrollerRef, leadingCount, isOpeningRef, isOpening, updateFollowing, visibleRange } =
    options
  const { rows, scope, listKey, me, readState, hasBefore, hasAfter, onNearStart, onNearEnd } = options
  const trackSeen = useReadTracking(rows, scope, me, readState)

  /** Indexes of the first and last row in view. */
  const inView = useCallback((): [number, number] => {
    const area = scrollerRef.current
    const handle = listRef.current
    if (!area || !handle) return [0, -1]
    const { top, bottom } = listGeometry(area, handle)
    const clamp = (index: number) => Math.min(Math.max(index - leadingCount, 0), rows.length - 1)
    return [clamp(handle.findItemIndex(top)), clamp(handle.findItemIndex(bottom - 1))]
  }, [leadingCount, listRef, rows, scrollerRef])

  const onViewChange = useCallback(
    function onViewChange(scrolled = false) {
      const area = scrollerRef.current
      const handle = listRef.current
      if (!area || !handle || area.clientHeight === 0 || rows.length === 0) return
      const atEnd = updateFollowing(area, handle, hasAfter)
      const { top: fromStart, toEnd } = listGeometry(area, handle)
      const from = area.scrollTop
      const to = from + area.clientHeight
      if (!isOpeningRef.current || atEnd) {
        if (fromStart < NEAR_EDGE_PX && hasBefore) onNearStart()
        if (toEnd < NEAR_EDGE_PX && hasAfter) onNearEnd?.()
      }
      const [top, bottom] = inView()
      const seen: number[] = []
      for (let index = top; index <= bottom; index += 1) {
        const row = rows[index]
        const number = row ? numberOf(row, scope) : null
        if (number === null) continue
        const start = handle.getItemOffset(index + leadingCount)
        const size = handle.getItemSize(index + leadingCount)
        const shown = Math.min(to, start + size) - Math.max(from, start)
        if (shown >= SEEN_RATIO * Math.min(size, area.clientHeight)) seen.push(number)
      }
      const first = rows[top]
      visibleRange.set({
        top: seen[0] ?? 0,
        bottom: seen.at(-1) ?? 0,
        day:
          isOpeningRef.current || !first ? null : scrolled ? createdAt(first.item) : visibleRange.get().day,
        atEnd,
      })
      if (!isOpeningRef.current) {
        const start = handle.getItemOffset(top + leadingCount)
        saveScrollPosition(
          listKey,
          atEnd || !first ? null : { id: first.id, number: numberOf(first, scope), top: start - from },
        )
      }
      trackSeen(seen, onViewChange)
    },
    [
      hasAfter,
      hasBefore,
      inView,
      leadingCount,
      listKey,
      listRef,
      updateFollowing,
      onNearEnd,
      onNearStart,
      isOpeningRef,
      scope,
      rows,
      scrollerRef,
      trackSeen,
      visibleRange,
    ],
  )

  useEffect(() => {
    // Also once the list has opened: only then is the position the reader's.
    const frame = isOpening ? 0 : requestAnimationFrame(() => onViewChange())
    return () => cancelAnimationFrame(frame)
  }, [onViewChange, isOpening])
  useEffect(() => {
    const frame = requestAnimationFrame(() => onViewChange())
    const unsubscribe = onAttention(() => onViewChange())
    return () => {
      cancelAnimationFrame(frame)
      unsubscribe()
    }
  }, [onViewChange])

  return { onViewChange, inView }
}
