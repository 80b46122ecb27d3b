import { useSyncExternalStore } from 'react'

/** Whether the page is visible and focused. Messages in a hidden tab are not marked as read. */
export function isAttentive(): boolean {
  return document.visibilityState === 'visible' && document.hasFocus()
}

/** Calls `listener` when this changes. Returns the function that unsubscribes. */
export function onAttention(listener: () => void): () => void {
  addEventListener('focus', listener)
  addEventListener('blur', listener)
  document.addEventListener('visibilitychange', listener)
  return () => {
    removeEventListener('focus', listener)
    removeEventListener('blur', listener)
    document.removeEventListener('visibilitychange', listener)
  }
}

/** The same as a hook. */
export function useAttention(): boolean {
  return useSyncExternalStore(onAttention, isAttentive)
}
