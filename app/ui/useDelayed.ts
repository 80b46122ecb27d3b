import { useEffect, useState } from 'react'

/** True once `on` has been true for `ms` without interruption: fast responses show no loading state. */
export function useDelayed(on: boolean, ms = 200): boolean {
  const [isDelayed, setDelayed] = useState(false)
  useEffect(() => {
    if (!on) return
    const timer = setTimeout(() => setDelayed(true), ms)
    return () => {
      clearTimeout(timer)
      setDelayed(false)
    }
  }, [on, ms])
  return on && isDelayed
}
