import { useLayoutEffect, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react'
import styles from './ResizeHandle.module.css'

interface Props {
  label: string
  /** The edge of the pane on which the handle is. */
  edge: 'start' | 'end'
  /** The minimum and the maximum width of the pane, in rem. */
  range: readonly [number, number]
  /** Receives the width in rem; null restores the default one. */
  onResize: (width: number | null) => void
}

/** Rem by which an arrow key moves the edge. */
const STEP = 1

/**
 * A line on the edge of its parent that changes the width of the parent: by the pointer, or by the arrow keys, Home and End. A
 * double click or Enter restores the default width. The parent has a position and takes its width from `onResize`.
 * Source: the pattern "Window Splitter" of the ARIA Authoring Practices Guide.
 */
export function ResizeHandle({ label, edge, range: [min, max], onResize }: Props) {
  const ref = useRef<HTMLDivElement>(null)
  /** The distance from the pointer to the edge, in pixels; null while nothing is dragged. */
  const grip = useRef<number | null>(null)
  const [width, setWidth] = useState(min)

  const isMirrored = () => getComputedStyle(ref.current!).direction === 'rtl'
  /** 1 where the pane grows with greater x, -1 where it shrinks. */
  const growth = () => ((edge === 'end') === isMirrored() ? -1 : 1)
  const pane = () => ref.current!.parentElement!
  const rem = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  const currentWidth = () => pane().getBoundingClientRect().width / rem()
  const bound = (value: number) => Math.min(max, Math.max(min, value))
  const measure = () => setWidth(Math.round(currentWidth()))
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the width when the handle appears
  useLayoutEffect(measure, [])

  function onPointerDown(event: PointerEvent<HTMLDivElement>) {
    if (event.button !== 0) return
    event.preventDefault()
    event.currentTarget.setPointerCapture(event.pointerId)
    const box = pane().getBoundingClientRect()
    grip.current = event.clientX - (growth() > 0 ? box.right : box.left)
  }

  function onPointerMove({ clientX }: PointerEvent) {
    if (grip.current === null) return
    const box = pane().getBoundingClientRect()
    const at = clientX - grip.current
    const wanted = bound((growth() > 0 ? at - box.left : box.right - at) / rem())
    // Without a render: the pane has a whole page of messages.
    pane().style.width = `${wanted}rem`
  }

  function onPointerEnd() {
    if (grip.current === null) return
    grip.current = null
    // The layout may leave less space than was requested.
    onResize(bound(currentWidth()))
  }

  function reset() {
    pane().style.width = ''
    onResize(null)
  }

  function onKeyDown(event: KeyboardEvent) {
    const steps: Record<string, () => void> = {
      ArrowRight: () => onResize(bound(currentWidth() + growth() * STEP)),
      ArrowLeft: () => onResize(bound(currentWidth() - growth() * STEP)),
      Home: () => onResize(min),
      End: () => onResize(max),
      Enter: reset,
    }
    const step = steps[event.key]
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    step()
    requestAnimationFrame(measure)
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a separator that can be focused is a control
    <div
      ref={ref}
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={width}
      tabIndex={0}
      className={styles.handle}
      data-edge={edge}
      onFocus={measure}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerEnd}
      onPointerCancel={onPointerEnd}
      onDoubleClick={reset}
      onKeyDown={onKeyDown}
    />
  )
}
