import { useEffect, useRef, type RefObject } from 'react'

/** Loads more before the end scrolls into view; a button remains for readers who don't scroll. */
export function useNearEnd(load: () => void): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null)
  const latest = useRef(load)
  useEffect(() => {
    latest.current = load
  })
  useEffect(() => {
    const sentinel = end.current
    if (!sentinel) return
    const near = new IntersectionObserver(
      (seen) => {
        if (seen.some((one) => one.isIntersecting)) latest.current()
      },
      { rootMargin: '0px 0px 800px' },
    )
    near.observe(sentinel)
    return () => near.disconnect()
  })
  return end
}
