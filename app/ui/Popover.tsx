import { useEffect, useLayoutEffect, useRef, type ReactNode } from 'react'
import { isComposing } from './isComposing.ts'
import styles from './Popover.module.css'

interface Props {
  /** Accessible name. */
  label: string
  /** The element it opens from: it is placed beside it, else below or above. */
  anchor: HTMLElement
  onClose: () => void
  children: ReactNode
}

/**
 * A small non-modal dialog based on the popover API: Escape, a click outside and leaving it by Tab close it, and the
 * focus returns to the anchor.
 */
export function Popover({ label, anchor, onClose, children }: Props) {
  const ref = useRef<HTMLDivElement>(null)

  useLayoutEffect(() => {
    const box = ref.current
    if (!box) return
    if (!box.matches(':popover-open')) box.showPopover()
    placeBeside(box, anchor)
    box.focus({ preventScroll: true })
    // Content that loads later must not push it over the edge.
    const grown = new ResizeObserver(() => placeBeside(box, anchor))
    grown.observe(box)
    return () => {
      grown.disconnect()
      if (box.contains(document.activeElement)) anchor.focus({ preventScroll: true })
    }
  }, [anchor])

  useEffect(() => {
    const box = ref.current
    const closed = (event: Event) => {
      if ((event as ToggleEvent).newState === 'closed') onClose()
    }
    box?.addEventListener('toggle', closed)
    return () => box?.removeEventListener('toggle', closed)
  }, [onClose])

  return (
    <div
      ref={ref}
      popover="auto"
      role="dialog"
      aria-label={label}
      tabIndex={-1}
      className={styles.popover}
      onKeyDown={(event) => {
        // Shortcuts of the page must not receive these keys.
        event.stopPropagation()
        if (event.key !== 'Escape' || isComposing(event.nativeEvent)) return
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

/** Beside the anchor in reading direction if there is space, else below or above it. */
function placeBeside(box: HTMLElement, anchor: HTMLElement) {
  const from = anchor.getBoundingClientRect()
  const { width, height } = box.getBoundingClientRect()
  const rightward = getComputedStyle(box).direction !== 'rtl'
  const after = from.right + 8
  const before = from.left - 8 - width
  const fitsAfter = after + width <= innerWidth - 8
  const fitsBefore = before >= 8
  const beside = rightward ? (fitsAfter ? after : before) : fitsBefore ? before : after
  const isBeside = fitsAfter || fitsBefore
  const below = from.bottom + 4 + height <= innerHeight - 8
  const top = isBeside ? from.top : below ? from.bottom + 4 : from.top - 4 - height
  const left = isBeside ? beside : from.left
  box.style.top = `${Math.max(8, Math.min(top, innerHeight - height - 8))}px`
  box.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`
}
