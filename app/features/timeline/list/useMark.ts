import { useEffect, useState } from 'react'

/** A message that was asked for is marked so long (ms). Also in MessageList.module.css. */
const MARKED_FOR = 2_400

/**
 * The row that was asked for, and how to mark another. The mark goes after a moment; where motion is not wanted it
 * stays, without any, until the reader does something.
 */
export function useMark(): [string | null, (id: string) => void] {
  const [marked, setMarked] = useState<string | null>(null)
  useEffect(() => {
    if (marked === null) return
    const end = () => setMarked(null)
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches) {
      const timer = setTimeout(end, MARKED_FOR)
      return () => clearTimeout(timer)
    }
    const deeds = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const
    for (const deed of deeds) addEventListener(deed, end, { passive: true })
    return () => {
      for (const deed of deeds) removeEventListener(deed, end)
    }
  }, [marked])
  return [marked, setMarked]
}
