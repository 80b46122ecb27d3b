import { createContext, use } from 'react'

export interface Toast {
  text: string
  /** What can be done about it, while it is shown. */
  action?: { label: string; run: () => void }
}

export const ToastContext = createContext<(toast: Toast) => void>(() => {})

/** Shows a line at the foot of the page for some seconds. */
export function useToast(): (toast: Toast) => void {
  return use(ToastContext)
}
