/** Pixels from the leading edge within which a swipe begins. */
const EDGE_PX = 28
/** Movement in pixels before the direction is decided. */
const UNDECIDED_PX = 8
/** Part of the length, or speed (px/ms), from which releasing completes the swipe. */
const MIN_DISTANCE_RATIO = 0.35
const MIN_SPEED = 0.5

/** A swipe across the pane, or down over a sheet: positions are along its direction, and to its side. */
export interface Swipe {
  start: number
  startAside: number
  /** 1: left to right, or down; -1: right to left. */
  direction: 1 | -1
  /** The size of what moves. */
  length: number
  at: number
  /** `waiting` until the direction is decided; `given up`: it is a scroll. */
  state: 'waiting' | 'swiping' | 'given up'
  /** Pixels moved, at least 0. */
  moved: number
}

/** Starts a possible swipe at the leading edge; null elsewhere. */
export function beginSwipe(x: number, y: number, width: number, direction: 1 | -1, at: number): Swipe | null {
  const fromEdge = direction === 1 ? x : width - x
  if (fromEdge > EDGE_PX) return null
  return { start: x, startAside: y, direction, length: width, at, state: 'waiting', moved: 0 }
}

/** Starts a possible swipe down, anywhere on a sheet of this height. */
export function beginSwipeDown(x: number, y: number, height: number, at: number): Swipe {
  return { start: y, startAside: x, direction: 1, length: height, at, state: 'waiting', moved: 0 }
}

/**
 * Updates the swipe by the position along its direction and the one to its side. A gesture that was recognized as a scroll
 * stays one.
 */
export function moveSwipe(swipe: Swipe, position: number, aside: number): Swipe {
  if (swipe.state === 'given up') return swipe
  const along = (position - swipe.start) * swipe.direction
  const across = Math.abs(aside - swipe.startAside)
  if (swipe.state === 'swiping') return { ...swipe, moved: Math.min(swipe.length, Math.max(0, along)) }
  if (across > UNDECIDED_PX && across > along / 1.5) return { ...swipe, state: 'given up' }
  if (along > UNDECIDED_PX) return { ...swipe, state: 'swiping', moved: along }
  return along < -UNDECIDED_PX ? { ...swipe, state: 'given up' } : swipe
}

/** Whether releasing now goes back, or closes the sheet. */
export function completesSwipe(swipe: Swipe, at: number): boolean {
  if (swipe.state !== 'swiping') return false
  const speed = swipe.moved / Math.max(1, at - swipe.at)
  return swipe.moved > swipe.length * MIN_DISTANCE_RATIO || (speed > MIN_SPEED && swipe.moved > EDGE_PX)
}
