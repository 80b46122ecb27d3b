const waiting = new WeakMap<Element, () => void>()
let observer: IntersectionObserver | null = null

/** Runs once, when the element is in the window or within half a window of it. */
export function runWhenVisible(element: Element, run: () => void): void {
  observer ??= new IntersectionObserver(
    (entries, self) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue
        self.unobserve(target)
        waiting.get(target)?.()
      }
    },
    { rootMargin: '50%' },
  )
  waiting.set(element, run)
  observer.observe(element)
}
