import { useRef, type MouseEvent, type PointerEvent } from 'react'

/** Duration of a long press. */
export const LONG_PRESS_MS = 450
/** Movement that still counts as resting. */
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
 * Handlers that call `open` for a right click, the menu key and a long press (for which not every browser fires
 * `contextmenu`). `isNative` keeps the browser's own menu. On touch it opens on release: a popover that opens earlier
 * would be closed by the release.
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
    // Some browsers cancel the pointer with `contextmenu`.
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
      // The menu key has no position.
      const hasPosition = event.clientX > 0 || event.clientY > 0
      open(hasPosition ? { x: event.clientX, y: event.clientY } : { x: box.left + 64, y: box.top + 24 }, from)
    },
  }
}

/** Milliseconds within which a release fires a click. */
const CLICK_AFTER_MS = 400

/** Ignores the click that some browsers fire after a long press: it would open the name beneath. */
export function swallowClick() {
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
  // The next press is a new one.
  addEventListener('pointerdown', end, true)
}
