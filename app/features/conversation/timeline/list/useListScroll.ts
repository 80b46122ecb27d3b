import { useCallback, useEffect, useEffectEvent, useLayoutEffect, useRef, type RefObject } from 'react'
import type { VirtualizerHandle } from 'virtua'
import { savedScrollPosition, saveScrollPosition } from '../../../../data/messages/readPosition.ts'
import { useWorkspace } from '../../../../data/session/useWorkspace.ts'
import { onAttention } from '../readTracking/attention.ts'
import { canBeUnread, lastNumberOf, numberOf } from '../readTracking/rowNumbers.ts'
import { useReadTracking } from '../readTracking/useReadTracking.ts'
import { createdAt, type Row } from '../../message/timelineRows.ts'
import { focusRow } from './focusRow.ts'
import { allowScroll, endScrollAboveRange, listGeometry } from './listGeometry.ts'
import type { ListProps } from './ListProps.ts'
import {
  type ScrollTarget,
  reduceScroll,
  type ListFacts,
  type ScrollEffect,
  type ScrollEvent,
  type ScrollState,
} from './scrollMachine.ts'
import type { VisibleRangeStore } from './visibleRange.ts'

/**
 * Milliseconds in which an opening list may still receive the position of the first unread message; then only the
 * reader scrolls. They start with the server's response: before, only stored messages are shown, or none.
 */
const OPENING_MS = 1_000
/** Within this distance (px) of an edge the next page is requested. */
const NEAR_EDGE_PX = 2_400
/** Part of a row (or of the view, if the row is higher) that must be visible to count as seen. */
const SEEN_RATIO = 0.7

interface Options extends ListProps {
  target: ScrollTarget
  /** The state of the list, which outlives its windows. */
  stateRef: RefObject<ScrollState>
  listRef: RefObject<VirtualizerHandle | null>
  scrollerRef: RefObject<HTMLDivElement | null>
  /** Number of elements before the first row. */
  leadingCount: number
  visibleRange: VisibleRangeStore
  onHighlight: (id: string) => void
  /** Called when scrolling has ended, and with it the change above. */
  onShiftEnd: () => void
}

interface ListScroll {
  onScroll: () => void
  onScrollEnd: () => void
  onResize: () => void
  /** Indexes of the first and last row in view. */
  inView: () => [number, number]
}

/**
 * Runs the scroll machine of a list: reports changes of its rows and its view, and executes the effects. After each
 * change of the view it requests the next page, stores the scroll position, and tracks which messages have been seen.
 */
export function useListScroll(options: Options): ListScroll {
  // Its effect events and callbacks refer to each other in a cycle, which the React Compiler can't order.
  'use no memo'
  const { stateRef, listRef, scrollerRef, leadingCount, visibleRange, onHighlight, onShiftEnd } = options
  const { rows, scope, listKey, me, readState, hasBefore, hasAfter, onNearStart, onNearEnd } = options
  const onMoved = useEffectEvent(options.onMoved)
  const trackSeen = useReadTracking(rows, scope, me, readState)
  const scheduled = useRef(0)

  const run = useEffectEvent((effect: ScrollEffect) => {
    const area = scrollerRef.current
    const list = listRef.current
    if (!area || !list) return
    switch (effect.type) {
      case 'scrollToEnd':
        // Rounded up, so that the end is reached on screens with fractional pixels; browsers clamp the excess.
        area.scrollTop = Math.ceil(area.scrollTop + listGeometry(area, list).toEnd)
        return
      case 'scrollToRow': {
        const { index, align, offset } = effect
        list.scrollToIndex(index < 0 ? 0 : index + leadingCount, { align, offset })
        return
      }
      case 'highlight':
        onHighlight(rows[effect.index]!.id)
        return
      case 'focus':
        focusRow(scope, rows[effect.index]!.id)
        return
      case 'opened':
        onMoved()
        scheduleViewChange()
    }
  })
  const dispatch = useCallback(
    (event: ScrollEvent) => {
      const { state, effects } = reduceScroll(stateRef.current, event)
      stateRef.current = state
      for (const effect of effects) run(effect)
    },
    [stateRef],
  )

  const inView = useCallback((): [number, number] => {
    const area = scrollerRef.current
    const list = listRef.current
    if (!area || !list) return [0, -1]
    const { top, bottom } = listGeometry(area, list)
    const clamp = (index: number) => Math.min(Math.max(index - leadingCount, 0), rows.length - 1)
    return [clamp(list.findItemIndex(top)), clamp(list.findItemIndex(bottom - 1))]
  }, [leadingCount, listRef, rows, scrollerRef])

  const onViewChange = useCallback(
    function onViewChange(hasScrolled = false) {
      const area = scrollerRef.current
      const list = listRef.current
      if (!area || !list || area.clientHeight === 0 || rows.length === 0) return
      const before = listGeometry(area, list)
      endScrollAboveRange(area, before)
      const isOverscroll = area.scrollTop + area.clientHeight > area.scrollHeight
      dispatch({
        type: 'viewChanged',
        top: before.top,
        height: area.clientHeight,
        toEnd: before.toEnd,
        isOverscroll,
        hasAfter,
      })
      const { followsEnd, phase } = stateRef.current
      // While the list opens, its position is not yet the reader's.
      const isOpening = phase === 'opening'
      const { top, toEnd } = listGeometry(area, list)
      if (!isOpening || followsEnd) {
        if (top < NEAR_EDGE_PX && hasBefore) onNearStart()
        if (toEnd < NEAR_EDGE_PX && hasAfter) onNearEnd?.()
      }
      const [firstIndex, lastIndex] = inView()
      const from = top + list.getItemOffset(0)
      const to = from + area.clientHeight
      const seen: number[] = []
      for (let index = firstIndex; index <= lastIndex; index += 1) {
        const row = rows[index]
        const number = row ? numberOf(row, scope) : null
        if (number === null) continue
        const start = list.getItemOffset(index + leadingCount)
        const size = list.getItemSize(index + leadingCount)
        const shown = Math.min(to, start + size) - Math.max(from, start)
        if (shown >= SEEN_RATIO * Math.min(size, area.clientHeight)) seen.push(number)
      }
      const first = rows[firstIndex]
      visibleRange.set({
        top: seen[0] ?? 0,
        bottom: seen.at(-1) ?? 0,
        day: isOpening || !first ? null : hasScrolled ? createdAt(first.item) : visibleRange.get().day,
        atEnd: followsEnd,
      })
      if (!isOpening) {
        const start = list.getItemOffset(firstIndex + leadingCount)
        const position = first && { id: first.id, number: numberOf(first, scope), top: start - from }
        saveScrollPosition(listKey, followsEnd || !position ? null : position)
      }
      trackSeen(seen, onViewChange)
    },
    [
      dispatch,
      hasAfter,
      hasBefore,
      inView,
      leadingCount,
      listKey,
      listRef,
      onNearEnd,
      onNearStart,
      scope,
      stateRef,
      rows,
      scrollerRef,
      trackSeen,
      visibleRange,
    ],
  )
  const onFrame = useEffectEvent(() => onViewChange())
  function scheduleViewChange() {
    cancelAnimationFrame(scheduled.current)
    scheduled.current = requestAnimationFrame(onFrame)
  }

  useLayoutEffect(() => dispatch({ type: 'mounted' }), [dispatch])
  useLayoutEffect(() => dispatch({ type: 'rowsChanged', facts: listFacts(options) }))

  useEffect(() => {
    scheduleViewChange()
    const unsubscribe = onAttention(() => onViewChange())
    return () => {
      cancelAnimationFrame(scheduled.current)
      unsubscribe()
    }
  }, [onViewChange])

  const session = useWorkspace()
  const isUnreadKnown = session.status === 'ready' && !session.cached && rows.length > 0
  useEffect(() => {
    const area = scrollerRef.current
    if (!area) return
    const end = () => dispatch({ type: 'openingEnded' })
    const timer = isUnreadKnown ? setTimeout(end, OPENING_MS) : undefined
    const inputs = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const
    for (const input of inputs) area.addEventListener(input, end, { passive: true })
    return () => {
      clearTimeout(timer)
      for (const input of inputs) area.removeEventListener(input, end)
    }
  }, [dispatch, scrollerRef, isUnreadKnown])

  const onResize = useCallback(() => dispatch({ type: 'resized' }), [dispatch])
  // The height of the list changes with the composer, the window and the on-screen keyboard.
  useEffect(() => {
    const area = scrollerRef.current
    if (!area) return
    const observer = new ResizeObserver(onResize)
    observer.observe(area)
    if (area.lastElementChild) observer.observe(area.lastElementChild)
    return () => observer.disconnect()
  }, [scrollerRef, onResize])

  const onScrollEnd = useCallback(() => {
    if (scrollerRef.current) allowScroll(scrollerRef.current)
    onShiftEnd()
  }, [scrollerRef, onShiftEnd])

  return { onScroll: () => onViewChange(true), onScrollEnd, onResize, inView }
}

/** What the scroll machine needs to know about the rows. */
function listFacts({ rows, scope, me, target, readState, hasBefore, hasAfter, listKey }: Options): ListFacts {
  const saved = savedScrollPosition(listKey)
  const savedRow = saved ? rows.findIndex((row) => row.id === saved.id) : -1
  const isUnread = (row: Row) =>
    (numberOf(row, scope) ?? 0) > (readState?.readTo ?? 0) && canBeUnread(row, me)
  return {
    target,
    rowCount: rows.length,
    lastRow: rows.at(-1)?.id ?? null,
    hasBefore,
    hasAfter,
    newLine: rows.findIndex((row) => row.isNew),
    firstUnread: readState?.complete ? rows.findIndex(isUnread) : -1,
    targetRow: target.to === 'row' ? rows.findIndex((row) => containsNumber(row, scope, target.number)) : -1,
    saved: saved && savedRow >= 0 ? { row: savedRow, top: saved.top } : null,
    isPageVisible: document.visibilityState !== 'hidden',
  }
}

function containsNumber(row: Row, scope: 'channel' | 'thread', number: number): boolean {
  const first = numberOf(row, scope)
  return first !== null && first <= number && number <= (lastNumberOf(row, scope) ?? first)
}
