/** How often the page looks whether time has jumped, ms. */
const CHECK_INTERVAL_MS = 2_500
/** A look that comes so much later than it should means that the machine slept, ms. */
const SLEEP_THRESHOLD_MS = 8_000

export interface PageWatch {
  /** Nobody looks at the page any more: what waits is written and asked now. */
  hidden: () => void
  /** The page is looked at again, came back from the browser's store of pages, or its machine woke. */
  woke: () => void
  focused: () => void
  /** The page goes, for good or into the browser's store. */
  leaving: () => void
  /** Back from that store: other pages took it for gone. */
  restored: () => void
  online: () => void
  offline: () => void
}

/** Reports changes of the page's state, and that the machine slept: closing a lid does not hide the page. */
export function watchPage(watch: PageWatch, clock: () => number = Date.now): () => void {
  const stops: (() => void)[] = []
  const listen = (target: EventTarget, name: string, run: (event: Event) => void) => {
    target.addEventListener(name, run)
    stops.push(() => target.removeEventListener(name, run))
  }
  listen(document, 'visibilitychange', () => {
    if (document.visibilityState === 'hidden') watch.hidden()
    else watch.woke()
  })
  listen(window, 'focus', watch.focused)
  listen(window, 'pagehide', watch.leaving)
  listen(window, 'pageshow', (event) => {
    if ((event as PageTransitionEvent).persisted) watch.restored()
    watch.woke()
  })
  listen(window, 'online', watch.online)
  listen(window, 'offline', watch.offline)

  let last = clock()
  const timer = setInterval(() => {
    const now = clock()
    const slept = now - last > CHECK_INTERVAL_MS + SLEEP_THRESHOLD_MS
    last = now
    // Browsers throttle the timers of a hidden page; `visibilitychange` reports when it is visible again.
    if (slept && document.visibilityState === 'visible') watch.woke()
  }, CHECK_INTERVAL_MS)
  stops.push(() => clearInterval(timer))
  return () => {
    for (const stop of stops) stop()
  }
}
