import { createContext, use } from 'react'

export interface Toast {
  text: string
  /** A button shown in the toast. */
  action?: { label: string; run: () => void }
}

export const ToastContext = createContext<(toast: Toast) => void>(() => {})

/** Returns the function that shows a toast for some seconds. */
export function useToast(): (toast: Toast) => void {
  return use(ToastContext)
}
