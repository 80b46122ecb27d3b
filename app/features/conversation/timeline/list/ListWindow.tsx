import type { DiscardedMessage } from '../../../../data/messages/messages.ts'
import {
  lazy,
  Suspense,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
  type ComponentType,
  type RefObject,
} from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { DayDivider, NewDivider } from '../../message/lines/Dividers.tsx'
import { MessageRow } from '../../message/MessageRow.tsx'
import { PendingRow } from '../../message/PendingRow.tsx'
import { cx } from '../../../../ui/cx.ts'
import type { ListProps } from './ListProps.ts'
import type { JumpProps } from '../readTracking/JumpButtons.tsx'
import type { Row } from '../../message/timelineRows.ts'
import { copyMessages } from '../../message/selection/copyMessages.ts'
import { saveRowHeights, savedRowHeights } from './rowHeights.ts'
import styles from './ListWindow.module.css'
import { createVisibleRangeStore } from './visibleRange.ts'
import type { ScrollState, ScrollTarget } from './scrollMachine.ts'
import { useListScroll } from './useListScroll.ts'
import { useHighlight } from './useHighlight.ts'
import { useRovingFocus } from './useRovingFocus.ts'

// Not needed to read messages: loaded with the first list.
const JumpButtons = lazy<ComponentType<JumpProps>>(() =>
  import('../readTracking/JumpButtons.tsx').catch(() => ({ default: () => null })),
)

/** Rows within this distance (px) of the view are rendered. */
const BUFFER_PX = 900

interface Props extends ListProps {
  shift: boolean
  target: ScrollTarget
  stateRef: RefObject<ScrollState>
  onTarget: (target: ScrollTarget) => void
  onShiftEnd: () => void
}

/** A window of a conversation: rows of any height, of which those near the view are rendered. */
export function ListWindow(props: Props) {
  const { rows, shift, stateRef, onTarget, label, scope, listKey, me, readState, intro } = props
  const { hasBefore, hasAfter, editing, mayPost } = props
  const { onEdit, onRestore, onEnd, onStart } = props
  const list = useRef<VirtualizerHandle>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const [visibleRange] = useState(createVisibleRangeStore)
  const [highlighted, setHighlighted] = useHighlight()
  const leadingCount = intro === undefined ? 0 : 1
  const [savedHeights] = useState(() => savedRowHeights(listKey, rows.map(idOf), leadingCount))

  const { onScroll, onScrollEnd, onResize, inView } = useListScroll({
    ...props,
    stateRef,
    listRef: list,
    scrollerRef: scroller,
    leadingCount,
    visibleRange,
    onHighlight: setHighlighted,
  })

  const onUnmount = useEffectEvent(() => {
    if (list.current) saveRowHeights(listKey, rows.map(idOf), leadingCount, list.current.cache)
  })
  useLayoutEffect(() => () => onUnmount(), [])

  const rovingFocus = useRovingFocus({
    rows,
    scope,
    inView,
    scrollIntoView: (index) => list.current?.scrollToIndex(index + leadingCount, { align: 'nearest' }),
    onHome: () => {
      onTarget({ to: 'start', focus: true })
      if (hasBefore) onStart?.()
    },
    onEnd: () => {
      onTarget({ to: 'end', focus: true })
      if (hasAfter) onEnd?.()
    },
  })

  return (
    <div className={styles.frame}>
      <div
        ref={scroller}
        className={styles.scroller}
        // `aria-live` is off: rows that scroll into view are not new. `useAnnounceNewMessages` announces new ones.
        role="log"
        aria-live="off"
        aria-label={label}
        onKeyDownCapture={rovingFocus.onKeyDownCapture}
        onPointerDownCapture={rovingFocus.onPointerDownCapture}
        onKeyDown={rovingFocus.onKeyDown}
        onCopy={(event) => copyMessages(event, rows)}
        tabIndex={rows.length ? -1 : 0}
      >
        {scope === 'channel' ? <div className={styles.filler} /> : null}
        <Virtualizer
          ref={list}
          scrollRef={scroller}
          shift={shift}
          cache={savedHeights}
          bufferSize={BUFFER_PX}
          keepMounted={rovingFocus.stopIndex >= 0 ? [rovingFocus.stopIndex + leadingCount] : []}
          onScroll={onScroll}
          onScrollEnd={onScrollEnd}
          onResize={onResize}
        >
          {intro === undefined ? null : (
            <div key="intro" data-index={0}>
              {intro}
            </div>
          )}
          {rows.map((row, index) => (
            <div
              key={row.id}
              data-index={index + leadingCount}
              className={cx(
                index === rows.length - 1 && styles.last,
                highlighted === row.id && styles.highlighted,
              )}
            >
              <ListRow
                row={row}
                channelId={scope === 'channel' ? listKey : null}
                scope={scope}
                mayPost={mayPost}
                editing={editing === row.id}
                tabStop={rovingFocus.stopId === row.id}
                onEdit={onEdit}
                onFocus={rovingFocus.setStop}
                onRestore={onRestore}
              />
            </div>
          ))}
        </Virtualizer>
      </div>
      <Suspense>
        <JumpButtons
          visibleRange={visibleRange}
          rows={rows}
          scope={scope}
          me={me}
          readState={readState}
          hasAfter={hasAfter}
          onUnread={(focus) => {
            onTarget({ to: 'unread', focus })
            if (!readState?.complete) readState?.onFirstUnread()
          }}
          onEnd={(focus) => {
            onTarget({ to: 'end', focus })
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
  /** Null in a thread. */
  channelId: string | null
  scope: 'channel' | 'thread'
  mayPost: boolean
  editing: boolean
  tabStop: boolean
  onEdit: (id: string | null) => void
  onFocus: (id: string) => void
  onRestore: ((message: DiscardedMessage) => void) | null
}

function ListRow({ row, channelId, onRestore, ...rest }: RowProps) {
  return (
    <>
      {row.day ? <DayDivider at={row.day} channelId={channelId} tabStop={rest.tabStop} /> : null}
      {row.isNew ? <NewDivider /> : null}
      {row.item.kind === 'message' ? (
        <MessageRow message={row.item.message} run={row.run} isFirstOfRun={row.isFirstOfRun} {...rest} />
      ) : (
        <PendingRow
          message={row.item.message}
          isFirstOfRun={row.isFirstOfRun}
          onRestore={onRestore}
          onEdit={rest.onEdit}
        />
      )}
    </>
  )
}
