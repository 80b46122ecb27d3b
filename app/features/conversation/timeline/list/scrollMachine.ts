/** Where a list has to scroll. Each request is a new object, since the same target may be requested twice. */
export type ScrollTarget =
  /** To the first unread message, else to the last position, else to the end. */
  | { to: 'open' }
  /**
   * To the newest, the first, or the first unread message. `focus`: the request came by keyboard, so the row is
   * focused.
   */
  | { to: 'end' | 'start' | 'unread'; focus?: boolean }
  /**
   * To the row of this number: centred, or at this distance (px) below the upper edge. `mark` highlights and focuses
   * it.
   */
  | { to: 'row'; number: number; top: number | null; mark: boolean }

/** The target that shows and highlights one message by its number; null for null. */
export function rowTarget(number: number | null): ScrollTarget | null {
  return number === null ? null : { to: 'row', number, top: null, mark: true }
}

/** Within this distance (px) of the end the list follows new messages. */
export const AT_END_PX = 40
/** Distance (px) between the target row and the upper edge. */
const MARGIN_PX = 8

/** How a list scrolls by itself. Everything else is the reader's scrolling. */
export interface ScrollState {
  /**
   * `opening`: the list is positioned again with each change of its rows, since the first unread message or the target
   * may still be loaded. `open`: only the reader moves it, besides new targets and the end.
   */
  phase: 'opening' | 'open'
  /** Whether messages that are added at the end are scrolled into view. */
  followsEnd: boolean
  /** Position and height of the view at the last `viewChanged` (px). */
  top: number
  height: number
  /** The id of the last row at the last `rowsChanged`. */
  lastRow: string | null
  /** The target that was reached: it is not scrolled to again. */
  reached: ScrollTarget | null
}

/** What positions depend on. Indexes are those of rows; -1: not loaded. */
export interface ListFacts {
  target: ScrollTarget
  rowCount: number
  lastRow: string | null
  hasBefore: boolean
  hasAfter: boolean
  /** The row below the "new" line. */
  newLine: number
  /** The first unread row, if everything before it is loaded. */
  firstUnread: number
  /** The row with the target's number. */
  targetRow: number
  /** The position at which the list was left, if its row is loaded: distance `top` below the upper edge (px). */
  saved: { row: number; top: number } | null
  isPageVisible: boolean
}

export type ScrollEvent =
  /** A window of messages is shown that has none in common with the one before, or the first one. */
  | { type: 'mounted' }
  /** Rows, target or their facts may have changed; they are in the page. */
  | { type: 'rowsChanged'; facts: ListFacts }
  /**
   * The position or the rows have changed. `toEnd`: distance (px) from the view to the end, negative past it;
   * `isOverscroll`: past the end, but outside the scroll range, where the browser returns by itself.
   */
  | {
      type: 'viewChanged'
      top: number
      height: number
      toEnd: number
      isOverscroll: boolean
      hasAfter: boolean
    }
  /** The height of the view or of a row has changed. */
  | { type: 'resized' }
  /** The first input of the reader, or the end of the time for opening. */
  | { type: 'openingEnded' }

export type ScrollEffect =
  | { type: 'scrollToEnd' }
  /** `index` -1: the first element of the list, which may be above the first row. */
  | { type: 'scrollToRow'; index: number; align: 'start' | 'center'; offset: number }
  | { type: 'highlight'; index: number }
  | { type: 'focus'; index: number }
  /** The position is the reader's from now on. */
  | { type: 'opened' }

export interface ScrollStep {
  state: ScrollState
  /** To be run in order. */
  effects: ScrollEffect[]
}

export const INITIAL_SCROLL: ScrollState = {
  phase: 'opening',
  followsEnd: true,
  top: 0,
  height: 0,
  lastRow: null,
  reached: null,
}

/** The next state of a list, and what has to be done in the page. Pure. */
export function reduceScroll(state: ScrollState, event: ScrollEvent): ScrollStep {
  switch (event.type) {
    case 'mounted':
      return { state: { ...INITIAL_SCROLL, reached: state.reached }, effects: [] }
    case 'rowsChanged': {
      if (event.facts.rowCount === 0) return { state, effects: [] }
      const followed = followLastRow(state, event.facts)
      const positioned = reachTarget(followed.state, event.facts)
      return { state: positioned.state, effects: [...followed.effects, ...positioned.effects] }
    }
    case 'viewChanged':
      return followView(state, event)
    case 'resized':
      return { state, effects: state.followsEnd ? [{ type: 'scrollToEnd' }] : [] }
    case 'openingEnded':
      return endOpening(state)
  }
}

function endOpening(state: ScrollState): ScrollStep {
  if (state.phase === 'open') return { state, effects: [] }
  return { state: { ...state, phase: 'open' }, effects: [{ type: 'opened' }] }
}

/**
 * Shows new messages while the reader is at the end and the page is visible, so that a returning reader finds where they
 * stopped. A message that the reader sends is a target.
 */
function followLastRow(state: ScrollState, { lastRow, isPageVisible }: ListFacts): ScrollStep {
  if (lastRow === state.lastRow || lastRow === null) return { state, effects: [] }
  const followsEnd = state.followsEnd && isPageVisible
  return { state: { ...state, lastRow, followsEnd }, effects: followsEnd ? [{ type: 'scrollToEnd' }] : [] }
}

/** Scrolls to a new target once its rows are loaded; until then, and without one, an opening list is positioned. */
function reachTarget(state: ScrollState, facts: ListFacts): ScrollStep {
  const { target } = facts
  const index = state.reached === target ? -1 : targetIndex(facts)
  if (index < 0)
    return state.phase === 'opening' && isPositionable(state, facts)
      ? open(state, facts)
      : { state, effects: [] }
  const effects: ScrollEffect[] = [scrollEffect(index, facts)]
  if (target.to === 'row' && target.mark) effects.push({ type: 'highlight', index }, { type: 'focus', index })
  else if (target.to !== 'row' && target.to !== 'open' && target.focus) effects.push({ type: 'focus', index })
  const followsEnd = target.to === 'end'
  if (state.phase === 'opening') effects.push({ type: 'opened' })
  return { state: { ...state, phase: 'open', followsEnd, reached: target }, effects }
}

/** Whether an opening list has a position although its target is not loaded: a message may be, others are waited for. */
function isPositionable(state: ScrollState, { target }: ListFacts): boolean {
  return state.reached === target || target.to === 'open' || target.to === 'row'
}

/** The row that shows the target; -1: it is not loaded, or there is none. */
function targetIndex(facts: ListFacts): number {
  switch (facts.target.to) {
    case 'open':
      return -1
    case 'end':
      return facts.hasAfter ? -1 : facts.rowCount - 1
    case 'start':
      return facts.hasBefore ? -1 : 0
    case 'unread':
      return facts.firstUnread
    case 'row':
      return facts.targetRow
  }
}

function scrollEffect(index: number, { target }: ListFacts): ScrollEffect {
  if (target.to === 'end') return { type: 'scrollToEnd' }
  if (target.to === 'start') return { type: 'scrollToRow', index: -1, align: 'start', offset: 0 }
  if (target.to === 'row' && target.top === null)
    return { type: 'scrollToRow', index, align: 'center', offset: 0 }
  const top = target.to === 'row' ? (target.top ?? 0) : MARGIN_PX
  return { type: 'scrollToRow', index, align: 'start', offset: -top }
}

/** To the first unread message, else to the saved position, else to the end. */
function open(state: ScrollState, { newLine, saved }: ListFacts): ScrollStep {
  if (newLine < 0 && !saved)
    return { state: { ...state, followsEnd: true }, effects: [{ type: 'scrollToEnd' }] }
  const [index, top] = newLine >= 0 || !saved ? [newLine, MARGIN_PX] : [saved.row, saved.top]
  return {
    state: { ...state, followsEnd: false },
    effects: [{ type: 'scrollToRow', index, align: 'start', offset: -top }],
  }
}

function followView(
  state: ScrollState,
  { top, height, toEnd, isOverscroll, hasAfter }: Extract<ScrollEvent, { type: 'viewChanged' }>,
): ScrollStep {
  const isAtEnd = toEnd < AT_END_PX && !hasAfter
  // Rows that grow below before the list has followed are no scroll by the reader: only scrolling up leaves the end. The
  // browser scrolls up too, when the last row is deleted. A toast then makes the view lower.
  const leavesEnd = !isAtEnd && (hasAfter || (top < state.top - 1 && height >= state.height))
  const followsEnd = isAtEnd || (state.followsEnd && !leavesEnd)
  // The view is short of the end, or past it, where the virtualizer has corrected positions late.
  const isOff = toEnd >= AT_END_PX || (toEnd < -1 && !isOverscroll)
  return {
    state: { ...state, top, height, followsEnd },
    effects: followsEnd && isOff ? [{ type: 'scrollToEnd' }] : [],
  }
}
