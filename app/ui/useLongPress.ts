import { useRef, type MouseEvent, type PointerEvent } from 'react'

/** Milliseconds that a finger rests before it means more than a tap. */
const LONG_PRESS_MS = 450
/** Pixels that a resting finger may tremble. */
const MAX_JITTER_PX = 10

export interface Point {
  x: number
  y: number
}

interface LongPress {
  onPointerDown: (event: PointerEvent) => void
  onPointerMove: (event: PointerEvent) => void
  onPointerUp: (event: PointerEvent) => void
  onPointerCancel: (event: PointerEvent) => void
  onContextMenu: (event: MouseEvent) => void
}

/**
 * Handlers that call `open` for a right click, the menu key, and a finger that rests (of which not every
 * browser makes a context menu). `isNative` leaves the browser its own menu. By touch it opens as the finger
 * leaves: a popover that opens before would be closed by that very lift.
 */
export function useLongPress(
  open: (at: Point, from: HTMLElement) => void,
  isNative: (target: Element) => boolean,
): LongPress {
  const press = useRef<{ at: Point; since: number; isRequested: boolean } | null>(null)
  const end = (event: PointerEvent, long: boolean) => {
    const current = press.current
    press.current = null
    if (!current || !long) return
    swallowClick()
    open(current.at, event.currentTarget as HTMLElement)
  }
  return {
    onPointerDown: (event) => {
      const native = event.pointerType === 'mouse' || isNative(event.target as Element)
      press.current = native
        ? null
        : { at: { x: event.clientX, y: event.clientY }, since: event.timeStamp, isRequested: false }
    },
    onPointerMove: (event) => {
      const { at } = press.current ?? {}
      if (at && Math.hypot(event.clientX - at.x, event.clientY - at.y) > MAX_JITTER_PX) press.current = null
    },
    onPointerUp: (event) => end(event, event.timeStamp - (press.current?.since ?? 0) >= LONG_PRESS_MS),
    // Some browsers end the touch with the context menu that they meant to show.
    onPointerCancel: (event) => end(event, press.current?.isRequested === true),
    onContextMenu: (event) => {
      if (event.shiftKey || isNative(event.target as Element)) return
      event.preventDefault()
      if (press.current) {
        press.current.isRequested = true
        return
      }
      const from = event.currentTarget as HTMLElement
      const box = from.getBoundingClientRect()
      // The menu key tells no place.
      const hasPosition = event.clientX > 0 || event.clientY > 0
      open(hasPosition ? { x: event.clientX, y: event.clientY } : { x: box.left + 64, y: box.top + 24 }, from)
    },
  }
}

/** Milliseconds in which a lift becomes a click. */
const CLICK_AFTER_MS = 400

/** Some browsers click with the lift of a resting finger: the name under it would open beside the menu. */
function swallowClick() {
  const swallow = (event: Event) => {
    event.preventDefault()
    event.stopPropagation()
  }
  const end = () => {
    removeEventListener('click', swallow, true)
    removeEventListener('pointerdown', end, true)
    clearTimeout(timer)
  }
  const timer = setTimeout(end, CLICK_AFTER_MS)
  addEventListener('click', swallow, true)
  // The next press means itself.
  addEventListener('pointerdown', end, true)
}
