/** Nobody who sits at it leaves a page untouched for so long (ms). */
const IDLE = 600_000
/** How long a tab's word holds for the others: longer than the longest span between two beats. */
const HOLDS = 75_000
/** Input is noted this often at most. */
const NOTED = 15_000

const INPUT = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart', 'scroll'] as const

export interface Activity {
  /** Whether somebody is at any tab of this account here: one is seen and was used in the last 10 minutes. */
  active: () => boolean
  stop: () => void
}

interface Needs {
  /** Shared by the tabs of one account: until when one of them is attended. */
  key: string
  page: Window
  clock: () => number
  /** Called with the first input after a while without. */
  onReturn: () => void
}

/**
 * Watches whether somebody is here. Each tab tells its own heartbeats, so that a hidden one would say "away" over
 * one that is used: they agree through a moment in storage.
 */
export function createActivity({ key, page, clock, onReturn }: Needs): Activity {
  const { document, localStorage } = page
  let input = clock()
  let noted = 0

  const attended = () => document.visibilityState === 'visible' && clock() - input < IDLE

  function note() {
    if (!attended()) return
    noted = clock()
    keep(String(Math.min(noted + HOLDS, input + IDLE)))
  }

  function keep(until: string | null) {
    try {
      if (until === null) localStorage.removeItem(key)
      else localStorage.setItem(key, until)
    } catch {
      // Where storage is refused each tab speaks for itself.
    }
  }

  function told(): number {
    try {
      return Number(localStorage.getItem(key) ?? 0)
    } catch {
      return 0
    }
  }

  const used = () => {
    const before = active()
    input = clock()
    if (clock() - noted > NOTED) note()
    if (!before && attended()) onReturn()
  }
  const seen = () => {
    if (document.visibilityState === 'visible') used()
    // Whoever else is seen says so again at once, by the event that this makes there.
    else keep(null)
  }
  const closed = () => keep(null)
  const heard = (event: StorageEvent) => {
    if (event.key === key && event.newValue === null) note()
  }
  const active = () => attended() || told() > clock()

  for (const name of INPUT) page.addEventListener(name, used, { capture: true, passive: true })
  document.addEventListener('visibilitychange', seen)
  page.addEventListener('storage', heard)
  page.addEventListener('pagehide', closed)
  note()
  return {
    active: () => {
      note()
      return active()
    },
    stop: () => {
      for (const name of INPUT) page.removeEventListener(name, used, { capture: true })
      document.removeEventListener('visibilitychange', seen)
      page.removeEventListener('storage', heard)
      page.removeEventListener('pagehide', closed)
    },
  }
}
