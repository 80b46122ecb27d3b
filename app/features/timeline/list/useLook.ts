import { useCallback, useEffect, type RefObject } from 'react'
import type { VirtualizerHandle } from 'virtua'
import type { ListProps } from '../MessageList.tsx'
import { onAttention } from '../reading/attention.ts'
import { numberOf } from '../reading/numbers.ts'
import { useSightings } from '../reading/useSightings.ts'
import { createdAt } from '../timelineRows.ts'
import { noticePlace } from './keptPlaces.ts'
import { listGeometry } from './listGeometry.ts'
import type { SpotStore } from './spot.ts'

/** This near an edge (px) the next page is asked for. */
const NEAR_EDGE = 2_400
/** So much of a row (or of the view, where the row is higher) must be in view to be seen. */
const SEEN_PART = 0.7

interface Options extends ListProps {
  listRef: RefObject<VirtualizerHandle | null>
  scrollerRef: RefObject<HTMLDivElement | null>
  /** How many elements stand before the first row. */
  lead: number
  /** While it opens, the place is not yet the reader's. */
  opensRef: RefObject<boolean>
  opening: boolean
  lookAtEnd: (area: HTMLElement, list: VirtualizerHandle, hasAfter: boolean) => boolean
  spot: SpotStore
}

/**
 * Looks at what is in view, after each scroll and each change: asks for the next page, notes the place, and what has
 * been seen.
 */
export function useLook(options: Options): {
  look: (scrolled?: boolean) => void
  inView: () => [number, number]
} {
  const { listRef, scrollerRef, lead, opensRef, opening, lookAtEnd, spot } = options
  const { rows, place, listKey, me, reading, hasBefore, hasAfter, onNearStart, onNearEnd } = options
  const sight = useSightings(rows, place, me, reading)

  /** The rows in view, uppermost and lowest. */
  const inView = useCallback((): [number, number] => {
    const area = scrollerRef.current
    const handle = listRef.current
    if (!area || !handle) return [0, -1]
    const { top, bottom } = listGeometry(area, handle)
    const clamp = (index: number) => Math.min(Math.max(index - lead, 0), rows.length - 1)
    return [clamp(handle.findItemIndex(top)), clamp(handle.findItemIndex(bottom - 1))]
  }, [lead, listRef, rows, scrollerRef])

  const look = useCallback(
    function look(scrolled = false) {
      const area = scrollerRef.current
      const handle = listRef.current
      if (!area || !handle || area.clientHeight === 0 || rows.length === 0) return
      const atEnd = lookAtEnd(area, handle, hasAfter)
      const { top: fromStart, toEnd } = listGeometry(area, handle)
      const from = area.scrollTop
      const to = from + area.clientHeight
      if (!opensRef.current || atEnd) {
        if (fromStart < NEAR_EDGE && hasBefore) onNearStart()
        if (toEnd < NEAR_EDGE && hasAfter) onNearEnd?.()
      }
      const [top, bottom] = inView()
      const seen: number[] = []
      for (let index = top; index <= bottom; index += 1) {
        const row = rows[index]
        const number = row ? numberOf(row, place) : null
        if (number === null) continue
        const start = handle.getItemOffset(index + lead)
        const size = handle.getItemSize(index + lead)
        const shown = Math.min(to, start + size) - Math.max(from, start)
        if (shown >= SEEN_PART * Math.min(size, area.clientHeight)) seen.push(number)
      }
      const first = rows[top]
      spot.set({
        top: seen[0] ?? 0,
        bottom: seen.at(-1) ?? 0,
        day: opensRef.current || !first ? null : scrolled ? createdAt(first.item) : spot.get().day,
        atEnd,
      })
      if (!opensRef.current) {
        const start = handle.getItemOffset(top + lead)
        noticePlace(
          listKey,
          atEnd || !first ? null : { id: first.id, number: numberOf(first, place), top: start - from },
        )
      }
      sight(seen, look)
    },
    [
      hasAfter,
      hasBefore,
      inView,
      lead,
      listKey,
      listRef,
      lookAtEnd,
      onNearEnd,
      onNearStart,
      opensRef,
      place,
      rows,
      scrollerRef,
      sight,
      spot,
    ],
  )

  useEffect(() => {
    // Also once the list has opened: only then is the place the reader's.
    const frame = opening ? 0 : requestAnimationFrame(() => look())
    return () => cancelAnimationFrame(frame)
  }, [look, opening])
  useEffect(() => {
    const frame = requestAnimationFrame(() => look())
    const deaf = onAttention(() => look())
    return () => {
      cancelAnimationFrame(frame)
      deaf()
    }
  }, [look])

  return { look, inView }
}
