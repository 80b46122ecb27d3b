import { useEffect, useLayoutEffect, useRef, type KeyboardEvent, type ReactNode, type RefObject } from 'react'
import { cx } from './cx.ts'
import { isComposing } from './isComposing.ts'
import { useLayer, type Side } from './useLayer.ts'
import styles from './Popover.module.css'

interface Props {
  /** Accessible name. */
  label: string
  /** The element it opens from. */
  anchor: HTMLElement
  /** Where it is placed if it fits; default: beside the anchor. */
  side?: Side
  className?: string | undefined
  /** Receives each key first. A key whose default it prevents has no other effect. */
  onKeyDown?: (event: KeyboardEvent<HTMLDivElement>) => void
  onClose: () => void
  children: ReactNode
  ref?: RefObject<HTMLDivElement | null>
}

/**
 * A small non-modal dialog based on the popover API: Escape, a click outside and leaving it by Tab close it, and the
 * focus returns to the anchor.
 */
export function Popover({
  label,
  anchor,
  side = 'after',
  className = styles.popover,
  onKeyDown,
  onClose,
  children,
  ref: givenRef,
}: Props) {
  const ownRef = useRef<HTMLDivElement>(null)
  const ref = givenRef ?? ownRef

  const layout = useLayer(ref, anchor, side, onClose)
  useLayoutEffect(() => {
    const box = ref.current
    box?.focus({ preventScroll: true })
    return () => {
      if (box?.contains(document.activeElement)) anchor.focus({ preventScroll: true })
    }
  }, [ref, anchor])

  useEffect(() => {
    const box = ref.current
    const closed = (event: Event) => {
      if ((event as ToggleEvent).newState === 'closed') onClose()
    }
    box?.addEventListener('toggle', closed)
    return () => box?.removeEventListener('toggle', closed)
  }, [ref, onClose])

  return (
    <div
      ref={ref}
      popover="auto"
      role="dialog"
      aria-label={label}
      tabIndex={-1}
      className={cx(layout, className)}
      onKeyDown={(event) => {
        // Shortcuts of the page must not receive these keys.
        event.stopPropagation()
        onKeyDown?.(event)
        if (event.defaultPrevented || event.key !== 'Escape' || isComposing(event.nativeEvent)) return
        event.preventDefault()
        anchor.focus({ preventScroll: true })
        onClose()
      }}
      onBlur={(event) => {
        if (event.relatedTarget && !event.currentTarget.contains(event.relatedTarget)) onClose()
      }}
    >
      {children}
    </div>
  )
}
