import { useEffect, useEffectEvent, useRef, useState, type PointerEvent, type RefObject } from 'react'
import type { Point } from './zoom.ts'
import type { Zoom } from './useZoom.ts'

/** Distance of a swipe to the next image. */
const SWIPE_PX = 60
/** Maximum time and distance between the two taps of a double tap. */
const DOUBLE_TAP = { ms: 320, pixels: 28 }

interface ImageGestures {
  /** Current horizontal offset of a swipe in pixels. */
  swipeOffset: number
  handlers: {
    onPointerDown: (event: PointerEvent<HTMLElement>) => void
    onPointerMove: (event: PointerEvent<HTMLElement>) => void
    onPointerUp: (event: PointerEvent<HTMLElement>) => void
    onPointerCancel: (event: PointerEvent<HTMLElement>) => void
  }
}

/** Gestures of an image: wheel, drag, pinch, double tap, and swipe to the next image. */
export function useImageGestures(
  stage: RefObject<HTMLElement | null>,
  zoom: Zoom,
  /** Null: an image that is not enlarged is panned instead of swiped. */
  onSwipe: ((by: 1 | -1) => void) | null,
): ImageGestures {
  const touches = useRef(new Map<number, Point>())
  const distance = useRef(0)
  const lastTap = useRef<Point & { at: number }>({ x: 0, y: 0, at: 0 })
  const [swipeOffset, setSwipeOffset] = useState(0)

  const fromMiddle = ({ x, y }: Point): Point => {
    const box = stage.current?.getBoundingClientRect()
    return box ? { x: x - box.left - box.width / 2, y: y - box.top - box.height / 2 } : { x: 0, y: 0 }
  }

  const zoomByWheel = useEffectEvent((event: WheelEvent) => {
    event.preventDefault()
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1
    // A pinch on a touchpad arrives as wheel events with Ctrl, in small steps.
    const factor = Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.002))
    zoom.zoomBy(factor, fromMiddle({ x: event.clientX, y: event.clientY }))
  })
  useEffect(() => {
    const element = stage.current
    const onWheel = (event: WheelEvent) => zoomByWheel(event)
    // React registers wheel listeners as passive: the page would zoom too.
    element?.addEventListener('wheel', onWheel, { passive: false })
    return () => element?.removeEventListener('wheel', onWheel)
  }, [stage])

  const end = (event: PointerEvent<HTMLElement>, tap: boolean) => {
    const at = touches.current.get(event.pointerId)
    if (!at || !touches.current.delete(event.pointerId)) return
    if (touches.current.size > 0) return
    if (tap && Math.abs(swipeOffset) > SWIPE_PX) onSwipe?.(swipeOffset < 0 ? 1 : -1)
    else if (tap && distance.current < 8) {
      const { x, y, at: before } = lastTap.current
      const isDoubleTap =
        event.timeStamp - before < DOUBLE_TAP.ms && Math.hypot(at.x - x, at.y - y) < DOUBLE_TAP.pixels
      if (isDoubleTap) zoom.toggle(fromMiddle(at))
      lastTap.current = { ...at, at: isDoubleTap ? 0 : event.timeStamp }
    }
    setSwipeOffset(0)
  }

  return {
    swipeOffset,
    handlers: {
      onPointerDown: (event) => {
        if (event.pointerType === 'mouse' && event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        if (touches.current.size === 0) distance.current = 0
        touches.current.set(event.pointerId, { x: event.clientX, y: event.clientY })
        // With a second touch a swipe becomes a pinch.
        if (touches.current.size > 1) setSwipeOffset(0)
      },
      onPointerMove: (event) => {
        const before = touches.current.get(event.pointerId)
        if (!before) return
        const now = { x: event.clientX, y: event.clientY }
        const by = { x: now.x - before.x, y: now.y - before.y }
        const other = [...touches.current].find(([id]) => id !== event.pointerId)?.[1]
        touches.current.set(event.pointerId, now)
        distance.current += Math.abs(by.x) + Math.abs(by.y)
        if (other) {
          const [wide, narrow] = [
            Math.hypot(now.x - other.x, now.y - other.y),
            Math.hypot(before.x - other.x, before.y - other.y),
          ]
          if (narrow > 0)
            zoom.zoomBy(wide / narrow, fromMiddle({ x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }))
          // The midpoint of both touches moves half as far as the one that moved.
          zoom.panBy({ x: by.x / 2, y: by.y / 2 })
        } else if (!zoom.isWhole || !onSwipe) zoom.panBy(by)
        else if (event.pointerType !== 'mouse') setSwipeOffset(swipeOffset + by.x)
      },
      onPointerUp: (event) => end(event, true),
      onPointerCancel: (event) => end(event, false),
    },
  }
}
