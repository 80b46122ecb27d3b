import { useEffect, useState } from 'react'

/** The current time; renders again when a minute begins. */
export function useMinute(): Date {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setTimeout(() => setNow(new Date()), 60_000 - (now.getTime() % 60_000))
    return () => clearTimeout(timer)
  }, [now])
  return now
}
