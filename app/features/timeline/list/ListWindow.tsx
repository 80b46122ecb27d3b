import type { TakenBack } from '../../../data/messages/messages.ts'
import {
  lazy,
  Suspense,
  useCallback,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
  type ComponentType,
  type RefObject,
} from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { DayLine, NewLine } from '../../message/lines/DayLine.tsx'
import { MessageRow } from '../../message/MessageRow.tsx'
import { PendingRow } from '../../message/PendingRow.tsx'
import { cx } from '../../../ui/cx.ts'
import type { ListProps } from '../MessageList.tsx'
import type { JumpProps } from '../reading/JumpButtons.tsx'
import { canBeUnread, numberOf } from '../reading/numbers.ts'
import type { Row } from '../timelineRows.ts'
import type { Goal } from './goal.ts'
import { keptPlace } from './keptPlaces.ts'
import { keepSizes, keptSizes } from './keptSizes.ts'
import styles from './ListWindow.module.css'
import { createSpot } from './spot.ts'
import { useFollow } from './useFollow.ts'
import { useGoal } from './useGoal.ts'
import { useLook } from './useLook.ts'
import { useMark } from './useMark.ts'
import { useWalk } from './useWalk.ts'

// Words can be read without them: asked for with the first list, they come a moment later.
const JumpButtons = lazy<ComponentType<JumpProps>>(() =>
  import('../reading/JumpButtons.tsx').catch(() => ({ default: () => null })),
)

/** Rows this far beyond the view (px) are in the page. */
const BUFFER = 900

interface Props extends ListProps {
  shift: boolean
  goal: Goal
  reachedRef: RefObject<Goal | null>
  onGoal: (goal: Goal) => void
}

/** One stretch of a conversation: rows of any height, of which those near the view are in the page. */
export function ListWindow(props: Props) {
  const { rows, shift, goal, reachedRef, onGoal, label, place, listKey, me, reading, opening } = props
  const { hasBefore, hasAfter, editing, mayPost } = props
  const { onEdit, onWords, onEnd, onStart, onPlace } = props
  const list = useRef<VirtualizerHandle>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const [spot] = useState(createSpot)
  const [marked, setMarked] = useMark()
  const lead = opening === undefined ? 0 : 1
  const [sizes] = useState(() => keptSizes(listKey, rows.map(idOf), lead))
  const { followsRef, toEnd, look: lookAtEnd } = useFollow(list, scroller, rows)

  const firstUnread = useCallback(() => {
    if (!reading?.complete) return -1
    return rows.findIndex((row) => (numberOf(row, place) ?? 0) > reading.readTo && canBeUnread(row, me))
  }, [me, place, reading, rows])
  const { opensRef, opening: settling } = useGoal({
    goal,
    reachedRef,
    listRef: list,
    scrollerRef: scroller,
    rows,
    place,
    lead,
    listKey,
    hasBefore,
    hasAfter,
    firstUnread,
    followsRef,
    toEnd,
    onMark: setMarked,
  })
  const { look, inView } = useLook({
    ...props,
    listRef: list,
    scrollerRef: scroller,
    lead,
    opensRef,
    opening: settling,
    lookAtEnd,
    spot,
  })

  const leave = useEffectEvent(() => {
    if (list.current) keepSizes(listKey, rows.map(idOf), lead, list.current.cache)
    onPlace?.(keptPlace(listKey)?.number ?? null)
  })
  useLayoutEffect(() => () => leave(), [])

  const walk = useWalk({
    rows,
    place,
    inView,
    show: (index) => list.current?.scrollToIndex(index + lead, { align: 'nearest' }),
    onHome: () => {
      onGoal({ to: 'start', focus: true })
      if (hasBefore) onStart?.()
    },
    onEnd: () => {
      onGoal({ to: 'end', focus: true })
      if (hasAfter) onEnd?.()
    },
  })

  return (
    <div className={styles.frame}>
      <div
        ref={scroller}
        className={styles.scroller}
        // A log, kept quiet: rows that come into view by scrolling are no news. `useSpokenArrivals` tells the news.
        role="log"
        aria-live="off"
        aria-label={label}
        onKeyDownCapture={walk.onKeyDownCapture}
        onPointerDownCapture={walk.onPointerDownCapture}
        onKeyDown={walk.onKeyDown}
        onBlur={walk.onBlur}
        tabIndex={rows.length ? -1 : 0}
      >
        {place === 'channel' ? <div className={styles.rest} /> : null}
        <Virtualizer
          ref={list}
          scrollRef={scroller}
          shift={shift}
          cache={sizes}
          bufferSize={BUFFER}
          keepMounted={walk.stopIndex >= 0 ? [walk.stopIndex + lead] : []}
          onScroll={() => look(true)}
          onResize={() => {
            if (followsRef.current) toEnd()
          }}
        >
          {opening === undefined ? null : (
            <div key="opening" data-index={0}>
              {opening}
            </div>
          )}
          {rows.map((row, index) => (
            <div
              key={row.id}
              data-index={index + lead}
              className={cx(index === rows.length - 1 && styles.last, marked === row.id && styles.marked)}
            >
              <RowOf
                row={row}
                place={place}
                mayPost={mayPost}
                editing={editing === row.id}
                tabStop={walk.stopId === row.id}
                onEdit={onEdit}
                onFocus={walk.setStop}
                onWords={onWords}
              />
            </div>
          ))}
        </Virtualizer>
      </div>
      <Suspense>
        <JumpButtons
          spot={spot}
          rows={rows}
          place={place}
          me={me}
          reading={reading}
          hasAfter={hasAfter}
          onUnread={(focus) => {
            onGoal({ to: 'unread', focus })
            if (!reading?.complete) reading?.onFirstUnread()
          }}
          onEnd={(focus) => {
            onGoal({ to: 'end', focus })
            if (hasAfter) onEnd?.()
          }}
        />
      </Suspense>
    </div>
  )
}

const idOf = (row: Row): string => row.id

interface RowProps {
  row: Row
  place: 'channel' | 'thread'
  mayPost: boolean
  editing: boolean
  tabStop: boolean
  onEdit: (id: string | null) => void
  onFocus: (id: string) => void
  onWords: ((words: TakenBack) => void) | null
}

function RowOf({ row, onWords, ...rest }: RowProps) {
  return (
    <>
      {row.day ? <DayLine at={row.day} /> : null}
      {row.isNew ? <NewLine /> : null}
      {row.item.kind === 'message' ? (
        <MessageRow message={row.item.message} run={row.run} head={row.head} {...rest} />
      ) : (
        <PendingRow message={row.item.message} head={row.head} onWords={onWords} onEdit={rest.onEdit} />
      )}
    </>
  )
}
