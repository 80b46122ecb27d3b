import { useCallback, useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { announce } from './announce.ts'
import { Button } from './Button.tsx'
import { ToastContext, type Toast } from './toast.ts'
import styles from './Toaster.module.css'

/** Long enough to read it and to undo. */
const VISIBLE_MS = 6_000

/**
 * Shows one toast at a time; the next one replaces it. It stays while the pointer is over it or its button has the focus. F6
 * reaches it, and Escape closes it.
 */
export function Toaster({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<{ toast: Toast; number: number } | null>(null)
  const show = useCallback((toast: Toast) => {
    announce(toast.text)
    setShown((before) => ({ toast, number: (before?.number ?? 0) + 1 }))
  }, [])
  const end = useCallback(() => setShown(null), [])
  return (
    <ToastContext value={show}>
      {children}
      {shown ? <ToastView key={shown.number} toast={shown.toast} onEnd={end} /> : null}
    </ToastContext>
  )
}

function ToastView({ toast, onEnd }: { toast: Toast; onEnd: () => void }) {
  const view = useRef<HTMLDivElement>(null)
  const focusedBefore = useRef<Element | null>(null)
  const [isHeld, setHeld] = useState(false)
  const end = useCallback(() => {
    // The button disappears with the toast: the focus returns to where it came from.
    if (focusedBefore.current instanceof HTMLElement) focusedBefore.current.focus({ preventScroll: true })
    onEnd()
  }, [onEnd])
  // In the top layer: an open dialog would cover it.
  useLayoutEffect(() => view.current?.showPopover(), [])
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
      onPointerEnter={() => setHeld(true)}
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
