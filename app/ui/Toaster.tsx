import { useCallback, useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { announce } from './announce.ts'
import { Button } from './Button.tsx'
import { ToastContext, type Toast } from './toast.ts'
import styles from './Toaster.module.css'

/** Long enough to read it and to undo. */
const VISIBLE_MS = 6_000

/** Shows one toast at a time; the next one replaces it. While its button has the focus, it stays. */
export function Toaster({ children }: { children: ReactNode }) {
  const [toast, setToast] = useState<Toast | null>(null)
  const show = useCallback((next: Toast) => {
    announce(next.text)
    setToast(next)
  }, [])
  const end = useCallback(() => setToast(null), [])
  return (
    <ToastContext value={show}>
      {children}
      {toast ? <ToastView key={toast.text} toast={toast} onEnd={end} /> : null}
    </ToastContext>
  )
}

function ToastView({ toast, onEnd }: { toast: Toast; onEnd: () => void }) {
  const view = useRef<HTMLDivElement>(null)
  const focusedBefore = useRef<Element | null>(null)
  const [hasFocus, setFocus] = useState(false)
  const end = useCallback(() => {
    // The button disappears with the toast: the focus returns to where it came from.
    if (focusedBefore.current instanceof HTMLElement) focusedBefore.current.focus({ preventScroll: true })
    onEnd()
  }, [onEnd])
  // In the top layer: an open dialog would cover it.
  useLayoutEffect(() => view.current?.showPopover(), [])
  // From the start for each toast, also for one with the text of the one before.
  useEffect(() => {
    const timer = hasFocus ? undefined : setTimeout(end, VISIBLE_MS)
    return () => clearTimeout(timer)
  }, [end, hasFocus, toast])
  return (
    <div
      ref={view}
      popover="manual"
      data-toast
      className={styles.toast}
      onFocus={(event) => {
        focusedBefore.current = event.relatedTarget
        setFocus(true)
      }}
      onBlur={() => {
        focusedBefore.current = null
        setFocus(false)
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
