import { useEffect } from 'react'

const INTERVAL_MS = 3_000

/** Fetches the value of a query again every three seconds while something runs on the server. */
export function usePolling(query: { invalidate: () => void }, isRunning: boolean): void {
  useEffect(() => {
    if (!isRunning) return undefined
    const timer = setInterval(() => query.invalidate(), INTERVAL_MS)
    return () => clearInterval(timer)
  }, [query, isRunning])
}
