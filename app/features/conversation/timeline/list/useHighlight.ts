import { useEffect, useState } from 'react'

/** Milliseconds that a message is highlighted. Also in ListWindow.module.css. */
const HIGHLIGHT_MS = 2_400

/**
 * The highlighted row and its setter. The highlight ends after a moment; with reduced motion it is static and stays
 * until the next input.
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
