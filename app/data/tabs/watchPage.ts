/** Milliseconds between two checks of the clock. */
const CHECK_INTERVAL_MS = 2_500
/** A check that is later than this (ms) means that the machine slept. */
const SLEEP_THRESHOLD_MS = 8_000

export interface PageWatch {
  /** The page is hidden: pending changes are written and sent now. */
  hidden: () => void
  /** The page is visible again, was restored from the back/forward cache, or the machine woke. */
  woke: () => void
  focused: () => void
  /** The page is unloaded, or enters the back/forward cache. */
  leaving: () => void
  /** Restored from the back/forward cache: other tabs have treated it as closed. */
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
