import { useEffectEvent, useLayoutEffect, type RefObject } from 'react'
import { closeOnBack } from '../historyState.ts'
import styles from './layer.module.css'
import { swallowClick } from './useLongPress.ts'
import { TOUCH_PHONE, useMedia } from './useMedia.ts'

/** Where a layer is placed if it fits: below or above its anchor, or after it in the reading direction. */
export type Side = 'below' | 'above' | 'after'

interface Size {
  width: number
  height: number
}

/** Pixels between a layer and its anchor: above or below it, and beside it. */
const GAP_PX = 4
const SIDE_GAP_PX = 8
/** Pixels between a layer and the edges of the window. */
const EDGE_PX = 8

/**
 * Returns the position of a layer beside its anchor. It changes sides where it would extend over an edge of the window, and
 * is moved inside if no side has enough space. In a right-to-left direction, left and right are exchanged.
 */
export function layerPosition(
  anchor: Pick<DOMRect, 'top' | 'right' | 'bottom' | 'left'>,
  layer: Size,
  view: Size,
  side: Side,
  isRtl: boolean,
): { top: number; left: number } {
  const fits = (start: number, length: number, available: number) =>
    start >= EDGE_PX && start + length <= available - EDGE_PX
  const first = (starts: number[], length: number, available: number) =>
    starts.find((start) => fits(start, length, available)) ??
    Math.max(EDGE_PX, Math.min(starts[0] ?? 0, available - length - EDGE_PX))
  const inReadingOrder = (starts: number[]) => (isRtl ? starts.toReversed() : starts)
  const beside = inReadingOrder([anchor.right + SIDE_GAP_PX, anchor.left - SIDE_GAP_PX - layer.width])
  if (side === 'after' && beside.some((left) => fits(left, layer.width, view.width)))
    return {
      top: first([anchor.top], layer.height, view.height),
      left: first(beside, layer.width, view.width),
    }
  const below = anchor.bottom + GAP_PX
  const above = anchor.top - GAP_PX - layer.height
  return {
    top: first(side === 'above' ? [above, below] : [below, above], layer.height, view.height),
    left: first(inReadingOrder([anchor.left, anchor.right - layer.width]), layer.width, view.width),
  }
}

/** Moves a layer that is open beside its anchor. */
export function placeLayer(layer: HTMLElement, anchor: DOMRect, side: Side): void {
  const view = { width: innerWidth, height: innerHeight }
  const isRtl = getComputedStyle(layer).direction === 'rtl'
  // An element near the right edge of the window would be narrower.
  layer.style.left = '0'
  const { top, left } = layerPosition(anchor, layer.getBoundingClientRect(), view, side, isRtl)
  layer.style.top = `${top}px`
  layer.style.left = `${left}px`
}

/**
 * Shows an element with the attribute `popover` above the page, beside its anchor or at a point. Its position changes when
 * the layer or the window does. On a phone it is a sheet at the lower edge, which "back" and a swipe down close too.
 * Returns the class of its layout.
 */
export function useLayer(
  ref: RefObject<HTMLElement | null>,
  anchor: HTMLElement,
  side: Side,
  onClose: () => void,
  point?: { x: number; y: number },
): string | undefined {
  const isSheet = useMedia(TOUCH_PHONE)
  const close = useEffectEvent(onClose)
  useLayoutEffect(() => {
    const layer = ref.current
    if (!layer || !isSheet) return
    const onCancel = () => close()
    // A tap beside the sheet only closes it.
    const onPointerDown = ({ target }: PointerEvent) => {
      if (target instanceof Node && !layer.contains(target)) swallowClick()
    }
    layer.addEventListener('cancel', onCancel)
    document.addEventListener('pointerdown', onPointerDown, true)
    const leaveHistory = closeOnBack(onCancel)
    return () => {
      layer.removeEventListener('cancel', onCancel)
      document.removeEventListener('pointerdown', onPointerDown, true)
      leaveHistory()
    }
  }, [ref, isSheet])
  useLayoutEffect(() => {
    const layer = ref.current
    if (!layer) return
    if (!layer.matches(':popover-open')) layer.showPopover()
    layer.toggleAttribute('data-sheet', isSheet)
    if (isSheet) {
      layer.removeAttribute('style')
      return
    }
    const place = () => {
      const from = point ? new DOMRect(point.x, point.y - GAP_PX, 0, GAP_PX) : anchor.getBoundingClientRect()
      placeLayer(layer, from, side)
    }
    place()
    // Content that loads later would extend over the edge.
    const resized = new ResizeObserver(place)
    resized.observe(layer)
    addEventListener('resize', place)
    return () => {
      resized.disconnect()
      removeEventListener('resize', place)
    }
  }, [ref, anchor, side, point, isSheet])
  return isSheet ? styles.sheet : styles.layer
}
