import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import type { VirtualizerHandle } from 'virtua'
import { useSession } from '../../../data/session/session.ts'
import { lastNumberOf, numberOf } from '../reading/numbers.ts'
import type { Row } from '../timelineRows.ts'
import { focusRow } from './focusRow.ts'
import type { Goal } from './goal.ts'
import { keptPlace } from './keptPlaces.ts'

/**
 * While a list opens (ms), it may still learn where the first unread stands; then the place is the reader's. Counted
 * from when the server has said it: before, what is shown is what was kept, or nothing.
 */
const OPENING_TIME = 1_000
/** Between a row that is gone to and the upper edge (px). */
const MARGIN = 8

interface Options {
  goal: Goal
  /** The goals that were reached: they are not gone to again when the list starts anew. */
  reachedRef: RefObject<Goal | null>
  listRef: RefObject<VirtualizerHandle | null>
  scrollerRef: RefObject<HTMLDivElement | null>
  rows: Row[]
  place: 'channel' | 'thread'
  /** How many elements stand before the first row. */
  lead: number
  listKey: string
  hasBefore: boolean
  hasAfter: boolean
  firstUnread: () => number
  followsRef: RefObject<boolean>
  toEnd: () => void
  onMark: (id: string) => void
}

/**
 * Goes where the list is asked to go, as soon as the rows for it are here. Answers whether it is still opening, as it
 * is now and as it was rendered.
 */
export function useGoal(options: Options): { opensRef: RefObject<boolean>; opening: boolean } {
  const { goal, reachedRef, listRef, scrollerRef, rows, place, lead, listKey, hasBefore, hasAfter } = options
  const { firstUnread, followsRef, toEnd, onMark } = options
  const opensRef = useRef(true)
  const [opening, setOpening] = useState(true)
  const session = useSession()
  const told = session.status === 'ready' && !session.cached && rows.length > 0

  useLayoutEffect(() => {
    if (rows.length === 0) return
    const go = (index: number, align: 'start' | 'center', offset: number) => {
      followsRef.current = false
      listRef.current?.scrollToIndex(index + lead, { align, offset })
    }
    const open = () => {
      const unread = rows.findIndex((row) => row.isNew)
      const kept = keptPlace(listKey)
      const left = kept ? rows.findIndex((row) => row.id === kept.id) : -1
      if (unread >= 0) go(unread, 'start', -MARGIN)
      else if (kept && left >= 0) go(left, 'start', -kept.top)
      else {
        followsRef.current = true
        toEnd()
      }
    }
    if (reachedRef.current === goal) {
      if (opensRef.current) open()
      return
    }
    let at: number
    switch (goal.to) {
      case 'open':
        if (opensRef.current) open()
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
        // Also what stands above the first row.
        go(-lead, 'start', 0)
        break
      case 'unread':
        at = firstUnread()
        if (at < 0) return
        go(at, 'start', -MARGIN)
        break
      case 'row':
        at = rows.findIndex((row) => {
          const number = numberOf(row, place)
          return (
            number !== null && number <= goal.number && goal.number <= (lastNumberOf(row, place) ?? number)
          )
        })
        if (at < 0) {
          if (opensRef.current) open()
          return
        }
        if (goal.top === null) go(at, 'center', 0)
        else go(at, 'start', -goal.top)
    }
    const row = rows[at]
    const marked = goal.to === 'row' && goal.mark
    if (row && marked) onMark(row.id)
    if (row && (marked || (goal.to !== 'row' && goal.focus))) focusRow(place, row.id)
    reachedRef.current = goal
    opensRef.current = false
  }, [
    firstUnread,
    followsRef,
    goal,
    hasAfter,
    hasBefore,
    lead,
    listRef,
    listKey,
    onMark,
    place,
    reachedRef,
    rows,
    toEnd,
  ])

  // The reader's first move, or a second, ends the opening.
  useEffect(() => {
    const area = scrollerRef.current
    if (!area) return
    const end = () => {
      opensRef.current = false
      setOpening(false)
    }
    const timer = told ? setTimeout(end, OPENING_TIME) : undefined
    const moves = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const
    for (const move of moves) area.addEventListener(move, end, { passive: true })
    return () => {
      clearTimeout(timer)
      for (const move of moves) area.removeEventListener(move, end)
    }
  }, [scrollerRef, told])

  return { opensRef, opening }
}
