import { completesSwipe, moveSwipe, type Swipe } from './swipe.ts'

/** A possible swipe, and what it moves. */
interface Followed {
  swipe: Swipe
  /** The position of the finger along the direction of the swipe, and to its side. */
  positionOf: (touch: Touch) => [along: number, aside: number]
  /** Displays a movement in pixels; 0 is the usual place. */
  show: (moved: number, isAnimated: boolean) => void
  complete: () => void
}

/**
 * Follows each finger for which `begin` returns a swipe. A second finger cancels the swipe, and a recognized swipe prevents
 * scrolling. Returns the function that removes it.
 */
export function followSwipes(begin: (touch: Touch, event: TouchEvent) => Followed | null): () => void {
  let current: Followed | null = null

  function start(event: TouchEvent) {
    const [touch] = event.touches
    if (!touch || event.touches.length > 1) return
    current = begin(touch, event)
  }
  function move(event: TouchEvent) {
    const [touch] = event.touches
    if (!current || !touch) return
    if (event.touches.length > 1) return cancel()
    current.swipe = moveSwipe(current.swipe, ...current.positionOf(touch))
    if (current.swipe.state !== 'swiping') return
    if (event.cancelable) event.preventDefault()
    current.show(current.swipe.moved, false)
  }
  function end(event: TouchEvent) {
    if (!current) return
    const { swipe, show, complete } = current
    if (!completesSwipe(swipe, event.timeStamp)) return cancel()
    current = null
    show(0, false)
    complete()
  }
  function cancel() {
    if (current?.swipe.state === 'swiping') current.show(0, true)
    current = null
  }
  addEventListener('touchstart', start, { passive: true })
  addEventListener('touchmove', move, { passive: false })
  addEventListener('touchend', end)
  addEventListener('touchcancel', cancel)
  return () => {
    cancel()
    removeEventListener('touchstart', start)
    removeEventListener('touchmove', move)
    removeEventListener('touchend', end)
    removeEventListener('touchcancel', cancel)
  }
}

/** Moves an element by a CSS transform; an empty one removes it. */
export function moveBy({ style }: HTMLElement, transform: string, isAnimated: boolean): void {
  style.transition = isAnimated ? 'transform 120ms ease-out' : ''
  style.transform = transform
}
