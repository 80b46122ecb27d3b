import { useEffect, useState } from 'react'

/** A message that was asked for is marked so long (ms). Also in MessageList.module.css. */
const HIGHLIGHT_MS = 2_400

/**
 * The row that was asked for, and how to mark another. The mark goes after a moment; where motion is not wanted it
 * stays, without any, until the reader does something.
 */
export function useHighlight(): [string | null, (id: string) => void] {
  const [highlighted, setHighlighted] = useState<string | null>(null)
  useEffect(() => {
    if (highlighted === null) return
    const end = () => setHighlighted(null)
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches) {
      const timer = setTimeout(end, HIGHLIGHT_MS)
      return () => clearTimeout(timer)
    }
    const inputs = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const
    for (const input of inputs) addEventListener(input, end, { passive: true })
    return () => {
      for (const input of inputs) removeEventListener(input, end)
    }
  }, [highlighted])
  return [highlighted, setHighlighted]
}
