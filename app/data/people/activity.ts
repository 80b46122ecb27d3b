/** Milliseconds without input after which the user counts as away. */
const IDLE_TIMEOUT_MS = 600_000
/** Milliseconds for which a tab's activity counts for the others: longer than the longest heartbeat interval. */
const ATTENDED_TTL_MS = 75_000
/** Minimum interval (ms) of storing activity. */
const MIN_NOTE_INTERVAL_MS = 15_000

const INPUT = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart', 'scroll'] as const

export interface Activity {
  /** Whether the user is active in any tab of this browser: one is visible and had input in the last 10 minutes. */
  isActive: () => boolean
  stop: () => void
}

interface ActivityPorts {
  /** Local storage key, shared by the tabs of an account: until when one of them counts as active. */
  key: string
  page: Window
  clock: () => number
  /** Called with the first input after inactivity. */
  onReturn: () => void
}

/**
 * Detects whether the user is active. Each tab sends its own heartbeats, so that a hidden tab would report "away"
 * while another is in use: the tabs share a timestamp in storage.
 */
export function createActivity({ key, page, clock, onReturn }: ActivityPorts): Activity {
  const { document, localStorage } = page
  let input = clock()
  let noted = 0

  const isAttended = () => document.visibilityState === 'visible' && clock() - input < IDLE_TIMEOUT_MS

  function note() {
    if (!isAttended()) return
    noted = clock()
    writeUntil(String(Math.min(noted + ATTENDED_TTL_MS, input + IDLE_TIMEOUT_MS)))
  }

  function writeUntil(until: string | null) {
    try {
      if (until === null) localStorage.removeItem(key)
      else localStorage.setItem(key, until)
    } catch {
      // Without storage each tab reports its own activity.
    }
  }

  function readUntil(): number {
    try {
      return Number(localStorage.getItem(key) ?? 0)
    } catch {
      return 0
    }
  }

  const onInput = () => {
    const before = isActive()
    input = clock()
    if (clock() - noted > MIN_NOTE_INTERVAL_MS) note()
    if (!before && isAttended()) onReturn()
  }
  const onVisibility = () => {
    if (document.visibilityState === 'visible') onInput()
    // The storage event of this write makes another visible tab store its time at once.
    else writeUntil(null)
  }
  const onPageHide = () => writeUntil(null)
  const onStorage = (event: StorageEvent) => {
    if (event.key === key && event.newValue === null) note()
  }
  const isActive = () => isAttended() || readUntil() > clock()

  for (const name of INPUT) page.addEventListener(name, onInput, { capture: true, passive: true })
  document.addEventListener('visibilitychange', onVisibility)
  page.addEventListener('storage', onStorage)
  page.addEventListener('pagehide', onPageHide)
  note()
  return {
    isActive: () => {
      note()
      return isActive()
    },
    stop: () => {
      for (const name of INPUT) page.removeEventListener(name, onInput, { capture: true })
      document.removeEventListener('visibilitychange', onVisibility)
      page.removeEventListener('storage', onStorage)
      page.removeEventListener('pagehide', onPageHide)
    },
  }
}
