import { Suspense, useCallback, useState, type ReactNode } from 'react'
import { announce } from './announce.ts'
import { lazyComponent } from './lazyComponent.tsx'
import { ToastContext, type Toast } from './toast.ts'

// The text is announced at once. What shows it is no part of the first download.
const ToastView = lazyComponent(() => import('./ToastView.tsx'), { preload: true })

/**
 * Shows one toast at a time; the next one replaces it. It stays while the pointer is over it or its button has the focus. F6
 * reaches it, and Escape closes it; on a touch screen, so does a tap or a swipe.
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
      <Suspense>{shown ? <ToastView key={shown.number} toast={shown.toast} onDone={end} /> : null}</Suspense>
    </ToastContext>
  )
}
