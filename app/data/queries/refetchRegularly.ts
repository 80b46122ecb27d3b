import type { QueryEntry } from './queryEntry.ts'

/**
 * For `follow` of a query: fetches the value again at this interval. A fetch that is due while the page is hidden waits until
 * the page is visible.
 */
export function refetchRegularly<T>(entry: QueryEntry<T>, intervalMs: number): () => void {
  let isDue = false
  const refetchIfDue = () => {
    if (!isDue || document.hidden) return
    isDue = false
    entry.invalidate()
  }
  const timer = setInterval(() => {
    isDue = true
    refetchIfDue()
  }, intervalMs)
  document.addEventListener('visibilitychange', refetchIfDue)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', refetchIfDue)
  }
}
