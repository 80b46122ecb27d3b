/** Pixels from the leading edge within which a swipe begins. */
const EDGE_PX = 28
/** Movement in pixels before the direction is decided. */
const UNDECIDED_PX = 8
/** Part of the width, or speed (px/ms), from which releasing goes back. */
const MIN_DISTANCE_RATIO = 0.35
const MIN_SPEED = 0.5

export interface Swipe {
  startX: number
  startY: number
  /** 1: left to right; -1: right to left. */
  direction: 1 | -1
  width: number
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
  return { startX: x, startY: y, direction, width, at, state: 'waiting', moved: 0 }
}

/** Updates the swipe. A gesture that was recognized as a scroll stays one. */
export function moveSwipe(swipe: Swipe, x: number, y: number): Swipe {
  if (swipe.state === 'given up') return swipe
  const across = (x - swipe.startX) * swipe.direction
  const along = Math.abs(y - swipe.startY)
  if (swipe.state === 'swiping') return { ...swipe, moved: Math.min(swipe.width, Math.max(0, across)) }
  if (along > UNDECIDED_PX && along > across / 1.5) return { ...swipe, state: 'given up' }
  if (across > UNDECIDED_PX) return { ...swipe, state: 'swiping', moved: across }
  return across < -UNDECIDED_PX ? { ...swipe, state: 'given up' } : swipe
}

/** Whether releasing now goes back. */
export function goesBack(swipe: Swipe, at: number): boolean {
  if (swipe.state !== 'swiping') return false
  const speed = swipe.moved / Math.max(1, at - swipe.at)
  return swipe.moved > swipe.width * MIN_DISTANCE_RATIO || (speed > MIN_SPEED && swipe.moved > EDGE_PX)
}
