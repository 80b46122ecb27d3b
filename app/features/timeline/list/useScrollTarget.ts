import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import type { VirtualizerHandle } from 'virtua'
import { useSession } from '../../../data/session/session.ts'
import { lastNumberOf, numberOf } from '../readTracking/rowNumbers.ts'
import type { Row } from '../timelineRows.ts'
import { focusRow } from './focusRow.ts'
import type { ScrollTarget } from './scrollTarget.ts'
import { savedScrollPosition } from './scrollPositions.ts'

/**
 * Milliseconds in which an opening list may still receive the position of the first unread message; then only the
 * reader scrolls. They start with the server's response: before, only stored messages are shown, or none.
 */
const OPENING_MS = 1_000
/** Distance (px) between the target row and the upper edge. */
const MARGIN_PX = 8

interface Options {
  target: ScrollTarget
  /** The target that was reached: it is not scrolled to again when the list is replaced. */
  reachedRef: RefObject<ScrollTarget | null>
  listRef: RefObject<VirtualizerHandle | null>
  scrollerRef: RefObject<HTMLDivElement | null>
  rows: Row[]
  scope: 'channel' | 'thread'
  /** Number of elements before the first row. */
  leadingCount: number
  listKey: string
  hasBefore: boolean
  hasAfter: boolean
  firstUnread: () => number
  followsRef: RefObject<boolean>
  toEnd: () => void
  onHighlight: (id: string) => void
  onMoved: () => void
}

/**
 * Scrolls to the target as soon as its rows are loaded. Returns whether the list is still opening, as a ref and as
 * state.
 */
export function useScrollTarget(options: Options): { isOpeningRef: RefObject<boolean>; isOpening: boolean } {
  const {
    target,
    reachedRef,
    listRef,
    scrollerRef,
    rows,
    scope,
    leadingCount,
    listKey,
    hasBefore,
    hasAfter,
  } = options
  const { firstUnread, followsRef, toEnd, onHighlight } = options
  const onMoved = useEffectEvent(options.onMoved)
  const isOpeningRef = useRef(true)
  const [isOpening, setOpening] = useState(true)
  const session = useSession()
  const isUnreadKnown = session.status === 'ready' && !session.cached && rows.length > 0

  useLayoutEffect(() => {
    if (rows.length === 0) return
    const scrollToRow = (index: number, align: 'start' | 'center', offset: number) => {
      followsRef.current = false
      listRef.current?.scrollToIndex(index + leadingCount, { align, offset })
    }
    const open = () => {
      const unread = rows.findIndex((row) => row.isNew)
      const saved = savedScrollPosition(listKey)
      const savedIndex = saved ? rows.findIndex((row) => row.id === saved.id) : -1
      if (unread >= 0) scrollToRow(unread, 'start', -MARGIN_PX)
      else if (saved && savedIndex >= 0) scrollToRow(savedIndex, 'start', -saved.top)
      else {
        followsRef.current = true
        toEnd()
      }
    }
    if (reachedRef.current === target) {
      if (isOpeningRef.current) open()
      return
    }
    let at: number
    switch (target.to) {
      case 'open':
        if (isOpeningRef.current) open()
        return
      case 'end':
        if (hasAfter) return
        followsRef.current = true
        toEnd()
        at = rows.length - 1
        break
      case 'start':
        if (hasBefore) return
        at = 0
        // Includes the elements above the first row.
        scrollToRow(-leadingCount, 'start', 0)
        break
      case 'unread':
        at = firstUnread()
        if (at < 0) return
        scrollToRow(at, 'start', -MARGIN_PX)
        break
      case 'row':
        at = rows.findIndex((row) => {
          const number = numberOf(row, scope)
          return (
            number !== null &&
            number <= target.number &&
            target.number <= (lastNumberOf(row, scope) ?? number)
          )
        })
        if (at < 0) {
          if (isOpeningRef.current) open()
          return
        }
        if (target.top === null) scrollToRow(at, 'center', 0)
        else scrollToRow(at, 'start', -target.top)
    }
    const row = rows[at]
    const isHighlighted = target.to === 'row' && target.mark
    if (row && isHighlighted) onHighlight(row.id)
    if (row && (isHighlighted || (target.to !== 'row' && target.focus))) focusRow(scope, row.id)
    reachedRef.current = target
    isOpeningRef.current = false
  }, [
    firstUnread,
    followsRef,
    target,
    hasAfter,
    hasBefore,
    leadingCount,
    listRef,
    listKey,
    onHighlight,
    scope,
    reachedRef,
    rows,
    toEnd,
  ])

  // The first input of the reader, or a second of time, ends the opening.
  useEffect(() => {
    const area = scrollerRef.current
    if (!area) return
    const end = () => {
      isOpeningRef.current = false
      setOpening(false)
      onMoved()
    }
    const timer = isUnreadKnown ? setTimeout(end, OPENING_MS) : undefined
    const moves = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const
    for (const move of moves) area.addEventListener(move, end, { passive: true })
    return () => {
      clearTimeout(timer)
      for (const move of moves) area.removeEventListener(move, end)
    }
  }, [scrollerRef, isUnreadKnown])

  return { isOpeningRef, isOpening }
}
