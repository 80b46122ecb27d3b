import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Button } from './Button.tsx'
import type { Toast } from './toast.ts'
import styles from './ToastView.module.css'

/** Long enough to read it and to undo. */
const VISIBLE_MS = 6_000

/** A toast, in the top layer. */
export default function ToastView({ toast, onDone }: { toast: Toast; onDone: () => void }) {
  const view = useRef<HTMLDivElement>(null)
  const focusedBefore = useRef<Element | null>(null)
  const [isHeld, setHeld] = useState(false)
  const end = useCallback(() => {
    // The button disappears with the toast: the focus returns to where it came from.
    if (focusedBefore.current instanceof HTMLElement) focusedBefore.current.focus({ preventScroll: true })
    onDone()
  }, [onDone])
  useLayoutEffect(() => {
    const element = view.current
    if (!element) return
    // In the top layer: an open dialog would cover it.
    element.showPopover()
    // The page of a phone leaves this height for it, so that it covers nothing.
    const { style } = document.documentElement
    style.setProperty('--toast', `calc(${element.offsetHeight}px + 2 * var(--space-2))`)
    return () => {
      // A toast that replaces this one needs the space too. Without it in between, a list at its end would scroll up.
      queueMicrotask(() => {
        if (!document.querySelector('[data-toast]')) style.removeProperty('--toast')
      })
    }
  }, [])
  useEffect(() => {
    const timer = isHeld ? undefined : setTimeout(end, VISIBLE_MS)
    return () => clearTimeout(timer)
  }, [end, isHeld])
  return (
    <div
      ref={view}
      popover="manual"
      data-toast
      className={styles.toast}
      onFocus={(event) => {
        focusedBefore.current = event.relatedTarget
        setHeld(true)
      }}
      onBlur={({ currentTarget }) => {
        focusedBefore.current = null
        setHeld(currentTarget.matches(':hover'))
      }}
      // A touch screen has no hover: a tap or a swipe closes the toast. The button handles its own tap.
      onPointerUp={({ pointerType, target }) => {
        if (pointerType === 'touch' && !(target as Element).closest('button')) end()
      }}
      onPointerEnter={({ pointerType }) => {
        if (pointerType !== 'touch') setHeld(true)
      }}
      onPointerLeave={({ currentTarget }) => setHeld(currentTarget.contains(document.activeElement))}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        end()
      }}
    >
      <span>{toast.text}</span>
      {toast.action ? (
        <Button
          variant="quiet"
          className={styles.action}
          onClick={() => {
            toast.action?.run()
            end()
          }}
        >
          {toast.action.label}
        </Button>
      ) : null}
    </div>
  )
}
