import { useSyncExternalStore } from 'react'

/** Whether somebody looks: the page is visible and in front. A hidden tab reads nothing. */
export function isAttentive(): boolean {
  return document.visibilityState === 'visible' && document.hasFocus()
}

/** Calls `listener` when attention comes or goes. The answer ends it. */
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

/** Whether somebody looks, as it changes. */
export function useAttention(): boolean {
  return useSyncExternalStore(onAttention, isAttentive)
}
