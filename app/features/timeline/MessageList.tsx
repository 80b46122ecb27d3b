import { i18n } from '@lingui/core'
import ArrowDown from 'lucide-react/icons/arrow-down'
import {
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/Icon.tsx'
import { DayLine, NewLine } from '../message/lines/DayLine.tsx'
import { MessageRow } from '../message/MessageRow.tsx'
import { PendingRow } from '../message/PendingRow.tsx'
import { changeOf } from './changeOf.ts'
import styles from './MessageList.module.css'
import type { Row } from './timelineRows.ts'

/** This near the end the list follows what arrives. */
const AT_END = 40
/** While a list opens, it may still learn where the first unread stands; then the place is the reader's. */
const OPENING_TIME = 1_000
/** This near an edge the next page is asked for. */
const NEAR_EDGE = 800

interface Props {
  label: string
  place: 'channel' | 'thread'
  rows: Row[]
  hasBefore: boolean
  hasAfter: boolean
  mayPost: boolean
  editing: string | null
  /** Stands above the first row, once the beginning is loaded (or always, in a thread). */
  opening?: ReactNode
  /** Open at this row instead of the first unread or the end. */
  openAt?: string | null
  onEdit: (id: string | null) => void
  onWords: (words: string) => void
  onNearStart: () => void
  onNearEnd?: () => void
  /** Shows the newest words, where they are not loaded. */
  onEnd?: () => void
  /** The lowest row in view, when it comes into view or the reader comes back to it. */
  onSeen?: (row: Row) => void
}

/**
 * The only place that knows the virtualiser: rows of any height, of which those near the view are in the
 * page. It opens at the first unread, follows the end while the reader is there, keeps its place
 * when older words arrive above, and walks with the arrow keys.
 */
export function MessageList(props: Props) {
  const { rows } = props
  const [view, setView] = useState({ rows, shift: false, window: 0 })
  // The virtualiser must hear of a change above in the very render that brings it, or the page jumps.
  if (view.rows !== rows) {
    const change = changeOf(view.rows, rows)
    setView({ rows, shift: change === 'above', window: view.window + (change === 'other' ? 1 : 0) })
  }
  return <Window key={view.window} {...props} rows={view.rows} shift={view.shift} />
}

function Window(props: Props & { shift: boolean }) {
  const { rows, shift, label, place, opening, openAt, hasBefore, hasAfter, editing, mayPost } = props
  const { onEdit, onWords, onNearStart, onNearEnd, onEnd, onSeen } = props
  const list = useRef<VirtualizerHandle>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const followsEnd = useRef(true)
  const opens = useRef(true)
  const byKeys = useRef(false)
  const stopAt = useRef(-1)
  const [atEnd, setAtEnd] = useState(true)
  const [stop, setStop] = useState<string | null>(openAt ?? null)
  const [readTo, setReadTo] = useState<string | null>(null)
  const lead = opening === undefined ? 0 : 1
  const lastId = rows.at(-1)?.id ?? null

  const toEnd = useCallback(() => {
    const area = scroller.current
    if (area) area.scrollTop = area.scrollHeight
  }, [])

  const look = useCallback(() => {
    const area = scroller.current
    const handle = list.current
    if (!area || !handle || area.clientHeight === 0) return
    const left = area.scrollHeight - area.scrollTop - area.clientHeight
    followsEnd.current = left < AT_END && !hasAfter
    setAtEnd(followsEnd.current)
    if (followsEnd.current) setReadTo(lastId)
    if (opens.current && !followsEnd.current) return
    if (area.scrollTop < NEAR_EDGE && hasBefore) onNearStart()
    if (left < NEAR_EDGE && hasAfter) onNearEnd?.()
    if (opens.current) return
    if (document.visibilityState !== 'visible' || !document.hasFocus()) return
    const lowest = handle.findItemIndex(handle.scrollOffset + handle.viewportSize - 8) - lead
    const row = rows[Math.min(Math.max(lowest, 0), rows.length - 1)]
    if (row) onSeen?.(row)
  }, [hasAfter, hasBefore, lastId, lead, onNearEnd, onNearStart, onSeen, rows])

  // Opening: at the row asked for, else at the first unread, else at the end.
  useLayoutEffect(() => {
    if (!opens.current || rows.length === 0) return
    const asked = openAt ? rows.findIndex((row) => row.id === openAt) : -1
    const at = asked >= 0 ? asked : rows.findIndex((row) => row.isNew)
    followsEnd.current = at < 0
    if (at < 0) toEnd()
    else list.current?.scrollToIndex(at + lead, { align: asked >= 0 ? 'center' : 'start', offset: -8 })
  }, [lead, openAt, rows, toEnd])

  // One's own new words are always shown; others' only to those who are at the end.
  const last = rows.at(-1)
  const ownPending = last?.item.kind === 'pending' ? last.id : null
  useLayoutEffect(() => {
    if (lastId === null) return
    if (ownPending) followsEnd.current = true
    if (followsEnd.current) toEnd()
  }, [ownPending, lastId, toEnd])

  useEffect(() => {
    const frame = requestAnimationFrame(look)
    addEventListener('focus', look)
    document.addEventListener('visibilitychange', look)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('focus', look)
      document.removeEventListener('visibilitychange', look)
    }
  }, [look])

  // The reader's first move, or a second, ends the opening.
  const settled = useEffectEvent(look)
  useEffect(() => {
    const area = scroller.current
    if (!area) return
    opens.current = true
    const end = () => {
      if (!opens.current) return
      opens.current = false
      settled()
    }
    const timer = setTimeout(end, OPENING_TIME)
    const moves = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const
    for (const move of moves) area.addEventListener(move, end, { passive: true })
    return () => {
      clearTimeout(timer)
      for (const move of moves) area.removeEventListener(move, end)
    }
  }, [])

  // The list's own box changes with the composer, the window and the keyboard of a phone.
  useEffect(() => {
    const area = scroller.current
    if (!area) return
    const follow = new ResizeObserver(() => {
      if (followsEnd.current) toEnd()
    })
    follow.observe(area)
    const content = area.lastElementChild
    if (content) follow.observe(content)
    return () => follow.disconnect()
  }, [toEnd])

  // The row in focus was removed: the one that took its place is focused, or keys would lead nowhere.
  useLayoutEffect(() => {
    const at = rows.findIndex((row) => row.id === stop)
    const next = rows[Math.min(stopAt.current, rows.length - 1)]
    if (at >= 0 || stop === null) stopAt.current = at
    else if (next && byKeys.current && document.activeElement === document.body) focusRow(place, next.id, 5)
  }, [place, rows, stop])

  function walk(event: KeyboardEvent) {
    if (!(event.target instanceof HTMLElement) || event.target.tagName !== 'ARTICLE') return
    const step = { ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity }[event.key]
    if (step === undefined || event.altKey || event.metaKey || event.ctrlKey) return
    event.preventDefault()
    const from = rows.findIndex((row) => row.id === stop)
    const to = Math.min(Math.max(from + step, 0), rows.length - 1)
    const row = rows[to]
    if (!row) return
    setStop(row.id)
    list.current?.scrollToIndex(to + lead, { align: 'nearest' })
    requestAnimationFrame(() => focusRow(place, row.id, 5))
  }

  const stopId = stop !== null && rows.some((row) => row.id === stop) ? stop : lastId
  const stopIndex = rows.findIndex((row) => row.id === stopId)
  const unseen = atEnd ? 0 : countAfter(rows, readTo)

  return (
    <div className={styles.frame}>
      <div
        ref={scroller}
        className={styles.scroller}
        // A log, kept quiet: rows that come into view by scrolling are no news. `useSpokenArrivals` tells the news.
        role="log"
        aria-live="off"
        aria-label={label}
        onKeyDownCapture={() => {
          byKeys.current = true
        }}
        onPointerDownCapture={() => {
          byKeys.current = false
        }}
        onKeyDown={walk}
        tabIndex={rows.length ? -1 : 0}
      >
        {place === 'channel' ? <div className={styles.rest} /> : null}
        <Virtualizer
          ref={list}
          scrollRef={scroller}
          shift={shift}
          bufferSize={600}
          keepMounted={stopIndex >= 0 ? [stopIndex + lead] : []}
          onScroll={look}
          onResize={() => {
            if (followsEnd.current) toEnd()
          }}
        >
          {opening === undefined ? null : <div key="opening">{opening}</div>}
          {rows.map((row, index) => (
            <div key={row.id} className={index === rows.length - 1 ? styles.last : undefined}>
              {row.day ? <DayLine at={row.day} /> : null}
              {row.isNew ? <NewLine /> : null}
              {row.item.kind === 'message' ? (
                <MessageRow
                  message={row.item.message}
                  head={row.head}
                  place={place}
                  mayPost={mayPost}
                  editing={editing === row.id}
                  tabStop={stopId === row.id}
                  onEdit={onEdit}
                  onFocus={setStop}
                />
              ) : (
                <PendingRow message={row.item.message} head={row.head} onWords={onWords} />
              )}
            </div>
          ))}
        </Virtualizer>
      </div>
      {atEnd ? null : (
        <button
          type="button"
          className={cx(styles.jump, unseen > 0 && styles.unseen)}
          onClick={() => {
            if (hasAfter) onEnd?.()
            else toEnd()
          }}
        >
          <Icon of={ArrowDown} />
          {unseen > 0
            ? i18n._('{unseen, plural, one {# new message} other {# new messages}}', { unseen })
            : i18n._('Newest')}
        </button>
      )}
    </div>
  )
}

/** Focus waits a few frames for the virtualiser to bring the row into the page. */
function focusRow(place: string, id: string, tries: number) {
  const row = document.getElementById(`${place}-${id}`)
  if (row) row.focus({ preventScroll: true })
  else if (tries > 0) requestAnimationFrame(() => focusRow(place, id, tries - 1))
}

function countAfter(rows: Row[], id: string | null): number {
  const at = rows.findIndex((row) => row.id === id)
  return at < 0 ? 0 : rows.length - 1 - at
}
